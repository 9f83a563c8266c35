/**
 * Vitest's global setup: the allocator of glibc keeps what a worker frees, up to a limit. By default it hands memory back
 * at once and asks for it again, when V8 compiles, and each page that comes back is a fault. It also asks for large pages:
 * a worker has some 600 MB there, and to start a program takes the longer the more pages the worker has. Where Linux
 * refuses them, they stay small. Another C library ignores these variables, and `bareEnvironment` keeps them from what
 * tests start. What the caller has set stays.
 */
const allocator = {
  GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(2 ** 26),
  MALLOC_TOP_PAD_: String(2 ** 24),
  MALLOC_TRIM_THRESHOLD_: String(2 ** 28),
};

export function setup(): void {
  for (const [name, value] of Object.entries(allocator)) process.env[name] ??= value;
}
