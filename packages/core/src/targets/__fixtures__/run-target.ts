import { makeProject } from "../../__fixtures__/make-project.js";
import { sharedModules } from "../../__fixtures__/shared-modules.js";
import { runTests } from "../../commands/run-tests.js";
import type { RunEvent } from "../../engine/run-event.js";
import type { TrialResult } from "../../engine/run-result.js";

const tools = `
    tools:
      - name: lookup
        parameters: { type: object, properties: { id: { type: string } }, required: [id] }
        responses: [{ when: { id: gone }, error: { type: logical, message: "no such order", retryable: false } }]
        default: { return: { id: "{{args.id}}", status: delivered } }`;

/** An assertion that holds for every trial. */
export const any = "[{ type: turns, min: 0 }]";

interface Setup {
  target: string;
  files?: Readonly<Record<string, string>>;
  /** The tests as YAML; default: one that says "Where is it?". */
  tests?: string;
  top?: string;
  env?: Readonly<Record<string, string>>;
  /** Modules have a worker of this run alone, for what may hold it. */
  hasOwnWorker?: boolean;
}

/** Runs a suite whose agent is this target, and shows its trials. */
export async function runTarget({ target, files = {}, tests, top = "", env = {}, hasOwnWorker = false }: Setup) {
  const written = tests ?? `\n      - { name: t, input: "Where is it?", assert: ${any} }`;
  const config = `version: 1\n${top}\nsuites:\n  - name: s\n    target: ${target}${tools}\n    tests:${written}\n`;
  const cwd = makeProject({ "kindlm.yaml": config, ...files });
  const events: RunEvent[] = [];
  const modules = hasOwnWorker ? {} : { openModules: sharedModules };
  const environment = { env: { PATH: process.env["PATH"], ...env }, cwd, ...modules };
  const ran = await runTests({ paths: [] }, { ...environment, onEvent: (event) => events.push(event) });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const [trial] = trials;
  if (trial === undefined) throw new Error("no trial");
  return { trial, trials, events, cwd };
}
