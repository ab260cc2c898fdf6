package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A patch goes where it belongs, whatever has changed around it, and nowhere else. */
class GuardPatchTest {

    private static final String FILE = "core/src/main/java/Lock.java";
    private static final String ENDS = "void end() {\n  check(claim);\n  holder = null;\n  told.add(claim);\n}\n";

    private static final String REMOVES = " void end() {\n-  check(claim);\n   holder = null;\n   told.add(claim);\n";

    private static final String ADDS =
            "   check(claim);\n   holder = null;\n+  holder = claim;\n   told.add(claim);\n }\n";

    @TempDir
    Path root;

    private String applied(String hunk, String source) throws IOException {
        return applied(hunk, FILE, source);
    }

    private String applied(String hunk, String file, String source) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, source);
        return String.join("\n", patch(hunk).applied().get(path)) + "\n";
    }

    private GuardPatch patch(String hunk) throws IOException {
        String patch = "Rule: r\n\ndiff --git a/" + FILE + " b/" + FILE + "\nindex 1..2 100644\n--- a/" + FILE
                + "\n+++ b/" + FILE + "\n@@ -1,4 +1,3 @@ class Lock {\n" + hunk;
        return new GuardPatch(root, List.of(patch.split("\n")));
    }

    private void refuses(String why, String hunk, String source) {
        assertThatThrownBy(() -> applied(hunk, source))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void itFitsWhereItWasCutAndFurtherDown() throws IOException {
        assertThat(applied(REMOVES, ENDS)).isEqualTo(ENDS.replace("  check(claim);\n", ""));
        assertThat(applied(REMOVES, "int a;\nint b;\n" + ENDS))
                .isEqualTo("int a;\nint b;\n" + ENDS.replace("  check(claim);\n", ""));
    }

    @Test
    void aChangeBesideItLeavesItWhole() throws IOException {
        String above = ENDS.replace("end()", "end(Claim claim)");
        assertThat(applied(REMOVES, above)).isEqualTo(above.replace("  check(claim);\n", ""));
        String below = ENDS.replace("holder = null", "holder = nobody");
        assertThat(applied(REMOVES, below)).isEqualTo(below.replace("  check(claim);\n", ""));
        assertThat(applied(ADDS, below)).isEqualTo(below.replace("nobody;\n", "nobody;\n  holder = claim;\n"));
        String indented = ENDS.replace("  check", "    check");
        assertThat(applied(REMOVES, indented)).isEqualTo(indented.replace("    check(claim);\n", ""));
    }

    @Test
    void whereItsLinesStandTwiceTheContextDecides() throws IOException {
        String twin = "void look() {\n  check(claim);\n  return holder;\n}\n";
        String changed = ENDS.replace("  holder = null;\n", "  holder = nobody;\n");
        assertThat(applied(REMOVES, twin + changed)).isEqualTo(twin + changed.replace("  check(claim);\n", ""));
    }

    @Test
    void itIsRefusedWhereItsPlaceIsNotCertain() {
        refuses("fits at several places", REMOVES, ENDS + ENDS);
        String changed = ENDS.replace("end()", "end(int a)");
        refuses("may be at several places", REMOVES, changed + changed);
        refuses("stands among other lines", REMOVES, "void look() {\n  check(claim);\n  return holder;\n}\n");
        refuses("may be at several places", ADDS, ENDS.replace("  told", "  log(claim);\n  told"));
        refuses("is no longer there", REMOVES, ENDS.replace("check(claim)", "check(lease)"));
    }

    @Test
    void aFileThatHasMovedIsFoundByItsName() throws IOException {
        assertThat(applied(REMOVES, "engine/src/main/java/queue/Lock.java", ENDS))
                .isEqualTo(ENDS.replace("  check(claim);\n", ""));
        assertThatThrownBy(() -> applied(REMOVES, "api/src/main/java/Lock.java", ENDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is gone");
    }

    @Test
    void oneThatCouldGoToATwinIsSeen() throws IOException {
        String twin = ENDS.replace("end()", "look()");
        applied(REMOVES, ENDS);
        assertThat(patch(REMOVES).strays()).isEmpty();
        applied(REMOVES, twin + ENDS);
        assertThat(patch(REMOVES).strays()).isNotEmpty();
    }
}
