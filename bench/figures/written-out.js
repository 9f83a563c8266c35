import {
  againstNode,
  cli,
  figure,
  inTempFolder,
  inTurn,
  median,
  ms,
  nodeAlone,
  usageOf,
  withServer,
} from "../support.js";
import { writeWrittenOut } from "../write-configs.js";

const cases = 1_000;
const concurrency = 50;
const latencyMs = 50;
const rounds = 5;

/** `kindlm test` with the JSON report in a file. */
const reported = (file) => [cli, "test", "-c", file, "--reporter", `json=${file}.json`];

/** Usage of a run, and its wall time as a multiple of that of requests which are never fewer than the concurrency allows. */
async function oneRun({ latencyOf }, { shape = "tests", requestsPerCase = 1 } = {}) {
  const latency = latencyOf(latencyMs);
  const idealMs = (cases * requestsPerCase * latency) / concurrency;
  return withServer([latency, shape], async (url, folder) => {
    const usage = await usageOf(reported(writeWrittenOut(folder, { url, cases, concurrency, shape })));
    return { ...usage, idealMs, ratio: usage.wallMs / idealMs };
  });
}

/** The run in the middle. */
function wallAgainstIdeal(runs) {
  const { wallMs, idealMs, ratio } = runs.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(runs.length / 2)];
  return figure(ratio, `${ms(wallMs)} ÷ ${ms(idealMs)}`);
}

/** The shape that people write: 1,000 tests in one YAML file, each with five assertions. */
export const writtenOutFigures = [
  {
    name: "validate",
    what: "wall time of `kindlm validate` with 1,000 tests written out in one file, five assertions each, median of 9",
    targets: { "÷ node -e 0": 20 },
    measure: () =>
      inTempFolder(async (folder) => {
        const file = writeWrittenOut(folder, { url: "http://127.0.0.1:9/v1", cases, concurrency, shape: "tests" });
        return { "÷ node -e 0": await againstNode([cli, "validate", file], 9) };
      }),
  },
  {
    name: "written-out",
    what: "`kindlm test` of these tests on a server that takes 50 ms, at concurrency 50, JSON report, medians of 5: wall time ÷ 1 s; CPU ÷ that of `node -e 0`; peak memory (resident set)",
    targets: { "÷ ideal": 1.55, "CPU ÷ node -e 0": 70, "peak MiB": 150 },
    async measure(how) {
      const [runs, nodes] = await inTurn([() => oneRun(how), () => usageOf(nodeAlone)], rounds);
      const of = (usages, key) => median(usages.map((usage) => usage[key]));
      const [cpu, peak, nodeCpu] = [of(runs, "cpuMs"), of(runs, "peakMib"), of(nodes, "cpuMs")];
      return {
        "÷ ideal": wallAgainstIdeal(runs),
        "CPU ÷ node -e 0": figure(cpu / nodeCpu, `${ms(cpu)} ÷ ${ms(nodeCpu)}`),
        "peak MiB": figure(peak, ""),
      };
    },
  },
  {
    name: "written-out-rows",
    what: "the same as one test with 1,000 rows: wall time ÷ 1 s",
    targets: { "÷ ideal": 1.35 },
    async measure(how) {
      const [runs] = await inTurn([() => oneRun(how, { shape: "rows" })], rounds);
      return { "÷ ideal": wallAgainstIdeal(runs) };
    },
  },
  {
    name: "written-out-tools",
    what: "1,000 tests written out with one tool call each, which is two requests: wall time ÷ 2 s",
    targets: { "÷ ideal": 1.3 },
    async measure(how) {
      const [runs] = await inTurn([() => oneRun(how, { shape: "tools", requestsPerCase: 2 })], rounds);
      return { "÷ ideal": wallAgainstIdeal(runs) };
    },
  },
];
