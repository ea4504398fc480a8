/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RECORDING_SUITES_H
#define TESTS_RECORDING_SUITES_H

/* The module's test suites, one per file; they return the number of failed tests. */
int test_times(void);
int test_losses(void);
int test_chipset(void);
int test_gaps_and_jumps(void);
int test_metadata(void);
int test_malformed(void);
int test_marks(void);
int test_packets(void);
int test_packet_records(void);
int test_packet_losses(void);
int test_packet_random(void);

#endif
