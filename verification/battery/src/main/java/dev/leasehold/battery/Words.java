package dev.leasehold.battery;

/** Words are what a generated table says, in each language that the README has. */
record Words(String english, String chinese) {

    /** A language is that of one README. */
    enum Language {
        ENGLISH("README.md"),
        CHINESE("README.zh-CN.md");

        private final String page;

        Language(String page) {
            this.page = page;
        }

        String page() {
            return page;
        }
    }

    String in(Language language) {
        return language == Language.ENGLISH ? english : chinese;
    }
}
