/* SPDX-License-Identifier: MIT */
/*
 * Only in builds with AddressSanitizer or ThreadSanitizer: starts the sanitizer before the
 * constructors of all other libraries, because these may call the preloaded library, which is
 * instrumented. The program need not be. This is a library of its own (-z initfirst), because the
 * constructors of the preloaded library come later: they read environment variables.
 */
#ifdef __SANITIZE_THREAD__
void __tsan_init(void);
#define START __tsan_init
#else
void __asan_init(void);
#define START __asan_init

/* Programs under `tally emulate` may leak: Python and shells do. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

__attribute__((constructor)) static void start(void)
{
    START();
}
