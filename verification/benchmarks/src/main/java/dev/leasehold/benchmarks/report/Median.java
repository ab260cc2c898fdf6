package dev.leasehold.benchmarks.report;

import java.util.Arrays;
import java.util.List;

/**
 * A median has a 95 % interval, which is between two of the sorted values and so assumes nothing of how they are
 * distributed. Fewer than six values have none: then the two ends are not numbers.
 */
public record Median(double value, double low, double high) {

    private static final double MISSED_EACH_SIDE = 0.025;

    public static Median of(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = sorted.length;
        if (n == 0) {
            return new Median(Double.NaN, Double.NaN, Double.NaN);
        }
        int below = outside(n);
        return new Median(
                (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
                below == 0 ? Double.NaN : sorted[below - 1],
                below == 0 ? Double.NaN : sorted[n - below]);
    }

    public boolean hasInterval() {
        return !Double.isNaN(low);
    }

    /**
     * The greatest k for which the true median is below the k-th smallest of n values with a probability of at most 2.5
     * %: that is the probability that fewer than k of n fair coins show heads.
     */
    private static int outside(int n) {
        double[] row = new double[n + 1];
        row[0] = 1;
        for (int i = 1; i <= n; i++) {
            for (int heads = i; heads > 0; heads--) {
                row[heads] = (row[heads] + row[heads - 1]) / 2;
            }
            row[0] /= 2;
        }
        double sum = 0;
        int k = 0;
        while (k < n && sum + row[k] <= MISSED_EACH_SIDE) {
            sum += row[k++];
        }
        return k;
    }

    /** Returns the quotients of two series, value by value. */
    public static Median ofRatios(List<Double> dividends, List<Double> divisors) {
        double[] ratios = new double[Math.min(dividends.size(), divisors.size())];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = dividends.get(i) / divisors.get(i);
        }
        return of(Arrays.stream(ratios).filter(Double::isFinite).boxed().toList());
    }
}
