import { cli, figure, median, ms, runProgram, wallMs, withServer } from "../support.js";
import { writeOfflineTest, writeThroughputConfig } from "../write-configs.js";

const concurrency = 50;

export const throughputFigures = [
  {
    name: "throughput",
    what: "(time of 10,000 one-turn cases − time of 1,000) ÷ 9,000, against a server without latency, median of 5, ÷ the time per request of a bare undici loop that sends and parses the same bytes at the same concurrency",
    targets: { "÷ bare loop": 2.5 },
    measure: () =>
      withServer([0], async (url, folder) => {
        const configOf = (cases) => writeThroughputConfig(folder, { url, concurrency, cases, name: `rows-${cases}` });
        const [small, large] = [configOf(1_000), configOf(10_000)];
        const rounds = Array.from({ length: 5 }, () => {
          const one = wallMs([cli, "test", "-c", small]);
          const perCase = (wallMs([cli, "test", "-c", large]) - one) / 9_000;
          const bare = Number(runProgram("bare-loop.js", url, 10_000, concurrency));
          return figure(perCase / bare, `${ms(perCase)} ÷ ${ms(bare)}`);
        });
        const ratio = median(rounds.map(({ value }) => value));
        return { "÷ bare loop": rounds.find(({ value }) => value === ratio) };
      }),
  },
  {
    name: "waiting",
    what: "1,000 cases on a server that takes 50 ms, at concurrency 50: (wall time − that of one offline test) ÷ 1 s, medians of 5",
    targets: { "÷ ideal": 1.15 },
    async measure({ latencyOf }) {
      const ratios = [];
      for (let round = 0; round < 5; round += 1) {
        const latency = latencyOf(50);
        const idealMs = (1_000 * latency) / concurrency;
        await withServer([latency], (url, folder) => {
          const file = writeThroughputConfig(folder, { url, cases: 1_000, concurrency, name: "waiting" });
          const [run, start] = [file, writeOfflineTest(folder)].map((config) => wallMs([cli, "test", "-c", config]));
          ratios.push(figure((run - start) / idealMs, `(${ms(run)} − ${ms(start)}) ÷ ${ms(idealMs)}`));
        });
      }
      return { "÷ ideal": ratios.toSorted((a, b) => a.value - b.value)[2] };
    },
  },
];
