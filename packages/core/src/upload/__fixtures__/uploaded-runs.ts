import { join } from "node:path";
import { makeProject, type ProjectFiles } from "../../__fixtures__/make-project.js";
import { runTests } from "../../commands/run-tests.js";
import type { CaseDocument } from "../case-document.js";
import { describeCases, describeRun, type UploadSettings } from "../describe-run.js";
import { readUpload } from "../read-upload.js";
import type { UploadDocument, UploadInclude } from "../run-document.js";

/** What must not leave the machine by default, by where it is. */
export const canaries = {
  prompt: "canary-prompt",
  input: "canary-input",
  answer: "canary-answer",
  argument: "canary-argument",
  toolResult: "canary-result",
  row: "canary-row",
  expected: "canary-expected",
  error: "canary-error",
  reason: "canary-reason",
  allowed: "canary-allowed",
};

/** Rows, models, faults, tools, a broken suite, and tests that fail, err, are skipped and are allowed to fail. */
export const uploadedProject: ProjectFiles = {
  "kindlm.yaml": `version: 1
project: shop
defaults: { concurrency: 1 }
models:
  - { id: first, provider: scripted, script: script.yaml }
  - { id: second, provider: scripted, script: script.yaml }
gates: { errored: 5, tool_errors: 10, pass_rate: 0.2 }
suites:
  - name: orders
    models: [first]
    system_prompt: Be kind ${canaries.prompt}
    tools:
      - { name: look_up, responses: [{ return: { status: ${canaries.toolResult} } }] }
    tests:
      - name: greets
        input: "hi {{ word }} ${canaries.input}"
        rows: [{ id: a, word: ${canaries.row} }, { id: b, word: ${canaries.row} }]
        assert: [{ type: contains, value: hello }]
      - name: looks-up
        input: order
        faults: { expand: true, list: [{ tool: look_up, kind: error }] }
        assert: [{ type: tool_called, tool: look_up }]
  - name: broken
    models: [first]
    tests:
      - { name: wrong, input: hi, assert: [{ type: unheard }] }
  - name: verdicts
    tests:
      - { name: fails, input: hi, assert: [{ type: contains, value: ${canaries.expected} }] }
      - { name: errs, input: nothing, assert: [{ type: contains, value: hello }] }
      - { name: is-skipped, skip: ${canaries.reason}, input: hi, assert: [{ type: contains, value: hello }] }
      - name: may-fail
        allow_failure: ${canaries.allowed}
        input: hi
        runs: 3
        assert: [{ type: contains, value: goodbye }]
      - { name: draws, input: draw, runs: 4, pass: 1, assert: [{ type: contains, value: hello }] }
`,
  "script.yaml": `rules:
  - when: { user: { $contains: order }, turn: 1 }
    reply: { tool_calls: [{ tool: look_up, args: { id: ${canaries.argument} } }] }
  - when: { user: { $contains: order } }
    reply: { text: It was sent }
  - when: { user: draw }
    choose: [{ weight: 1, reply: { text: hello } }, { weight: 1, reply: { text: no } }]
  - when: { user: nothing }
    reply: { error: { status: 404, body: ${canaries.error} } }
otherwise: { text: hello ${canaries.answer} }
`,
};

export const plainSettings = (include: readonly UploadInclude[] = []): UploadSettings => ({
  include,
  ciAttempt: "build-1.1",
  redact: (text) => text,
  showTrial: (trial) => ({ trial: trial.trial, output: trial.output }),
});

export interface RanForUpload {
  folder: string;
  /** The folder of the run. */
  run: string;
}

/** Runs the project, or one shard of it. */
export async function runForUpload(shard?: { index: number; of: number }): Promise<RanForUpload> {
  const folder = makeProject(uploadedProject);
  const ran = await runTests({ paths: [], ...(shard === undefined ? {} : { shard }) }, { env: {}, cwd: folder });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  return { folder, run: join(folder, ".kindlm", "runs", ran.data.run.id) };
}

/** The upload of the newest run in a folder. */
export async function uploadOf(folder: string, settings = plainSettings()): Promise<UploadDocument> {
  const read = await readUpload(null, { paths: [] }, folder);
  if (!read.success) throw new Error(JSON.stringify(read.error));
  const cases: CaseDocument[] = [];
  for await (const one of describeCases(read.data.result, settings)) cases.push(one);
  return { run: describeRun(read.data, settings), cases };
}
