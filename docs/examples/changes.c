/* SPDX-License-Identifier: MIT */
/*
 * Prints what has changed from one recording to another, and whether the second one meets a
 * condition. Exits with 1 if it does not.
 *
 *     cc changes.c -o changes $(pkg-config --cflags --libs tally)
 *     ./changes before.i915-perf after.i915-perf "EuActive > 60%"
 */
#include <stdio.h>

#include <tally/compare.h>

static int print_changes(const char *const *before, const char *const *after,
                         struct tally_error *error)
{
    struct tally_comparison *comparison;
    const struct tally_difference *differences;
    const struct tally_change *changes;
    int result = tally_compare(before, 1, after, 1, NULL, &comparison, error);
    if (result < 0)
        return result;
    size_t count = tally_comparison_differences(comparison, &differences);
    for (size_t i = 0; i < count; i++)
        printf("%s: %s -> %s\n", differences[i].name, differences[i].texts[TALLY_SIDE_A],
               differences[i].texts[TALLY_SIDE_B]);
    count = tally_comparison_changes(comparison, &changes);
    for (size_t i = 0; i < count; i++)
        if (changes[i].changed)
            printf("%s: %.4g -> %.4g %s\n", changes[i].counter, changes[i].means[TALLY_SIDE_A],
                   changes[i].means[TALLY_SIDE_B], changes[i].units);
    tally_comparison_free(comparison);
    return 0;
}

/* Returns how many results are not "passed", or an error. */
static int print_checks(const char *path, const char *const *condition, struct tally_error *error)
{
    struct tally_checks *checks;
    const struct tally_check_result *results;
    int bad = 0, result = tally_check(path, condition, 1, NULL, &checks, error);
    if (result < 0)
        return result;
    size_t count = tally_check_results(checks, &results);
    for (size_t i = 0; i < count; i++) {
        printf("%s: %s\n", tally_check_outcome_name(results[i].outcome), results[i].message);
        bad += results[i].outcome != TALLY_CHECK_PASSED;
    }
    tally_checks_free(checks);
    return bad;
}

int main(int argc, char **argv)
{
    struct tally_error error = {0, ""};
    if (argc != 4) {
        fprintf(stderr, "usage: changes BEFORE AFTER CONDITION\n");
        return 2;
    }
    const char *before = argv[1], *after = argv[2], *condition = argv[3];
    int result = print_changes(&before, &after, &error);
    if (result == 0)
        result = print_checks(after, &condition, &error);
    if (result < 0)
        fprintf(stderr, "%s\n", error.message);
    return result < 0 ? 3 : result > 0;
}
