import type { CassetteListing } from "./cassette-report.js";
import { parseCassette } from "./parse-cassette.js";
import type { CassetteText } from "./read-cassette-folder.js";

/** What a file holds, in numbers. */
export function describeCassette({ shown, text }: CassetteText): CassetteListing {
  const parsed = parseCassette(text);
  const nothing = { cases: 0, trials: 0, exchanges: 0, toolCalls: 0, models: [] };
  const bytes = Buffer.byteLength(text);
  if (!parsed.success) {
    const { line, reason } = parsed.error;
    return { file: shown, suite: "", test: "", ...nothing, bytes, problem: `line ${line} ${reason}` };
  }
  const { header, requests, cases } = parsed.data;
  const trials = [...cases.values()].flatMap((ofCase) => [...ofCase.values()]);
  const entries = trials.flat();
  const exchanges = entries.filter((entry) => "exchange" in entry).length;
  const models = [...requests.values()].flatMap(({ provider, model }) =>
    model === undefined ? [] : [`${provider ?? ""}:${model}`],
  );
  return {
    file: shown,
    suite: header.suite,
    test: header.test,
    cases: cases.size,
    trials: trials.length,
    exchanges,
    toolCalls: entries.length - exchanges,
    bytes,
    models: [...new Set(models)].toSorted(),
    problem: null,
  };
}
