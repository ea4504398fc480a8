/* SPDX-License-Identifier: MIT */
/* Dates of recordings: UTC, to the second. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/bits.h"
#include "store/store.h"

bool store_parse_date(const char *text, char date[STORE_DATE_BYTES])
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
        struct tm time = {0}, given;
        const char *end = strptime(text, forms[i], &time);
        if (!end || (strcmp(end, "") != 0 && (i == 0 || strcmp(end, "Z") != 0)))
            continue;
        given = time;
        /* A day that a month does not have would become one of the next. */
        if (timegm(&time) == -1 || time.tm_mday != given.tm_mday || time.tm_year < 70 ||
            time.tm_year > 8099 || time.tm_sec != given.tm_sec)
            return false;
        strftime(date, STORE_DATE_BYTES, "%Y-%m-%dT%H:%M:%SZ", &time);
        return true;
    }
    return false;
}

bool store_file_date(const char *path, char date[STORE_DATE_BYTES])
{
    struct stat status;
    struct tm time;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           gmtime_r(&status.st_mtime, &time) &&
           strftime(date, STORE_DATE_BYTES, "%Y-%m-%dT%H:%M:%SZ", &time);
}
