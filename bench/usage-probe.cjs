// Loaded into a process before its program: writes at its end what it has used.
const { writeFileSync } = process.getBuiltinModule("node:fs");

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakMib: maxRSS / 1_024 };
  writeFileSync(process.env.KINDLM_BENCH_USAGE, JSON.stringify(usage));
});
