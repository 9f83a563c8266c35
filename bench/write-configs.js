import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const head = (url, concurrency) => `version: 1
providers:
  bench: { type: openai, base_url: ${url}, api_key_env: BENCH_KEY }
models:
  - { id: bench, provider: bench, model: bench-1 }
defaults: { concurrency: ${concurrency} }
`;

const writeKey = (folder) => writeFileSync(join(folder, ".env"), "BENCH_KEY=bench-key\n");

/** One test with a dataset of `cases` rows, two assertions, against a server. */
export function writeThroughputConfig(folder, { url, cases, concurrency, name }) {
  const rows = Array.from({ length: cases }, (_, index) => JSON.stringify({ id: `q${index}`, question: `${index}` }));
  writeFileSync(join(folder, `${name}.jsonl`), `${rows.join("\n")}\n`);
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `${head(url, concurrency)}suites:
  - name: throughput
    system_prompt: You answer questions.
    tests:
      - name: question
        dataset: ${name}.jsonl
        input: "What is the answer to question {{question}}?"
        assert:
          - { type: contains, value: forty-two }
          - { type: not_contains, value: "sorry {{question}}" }
`,
  );
  writeKey(folder);
  return file;
}

/** The smallest config that runs: one test, one scripted answer. */
export function writeOfflineTest(folder) {
  const file = join(folder, "offline.yaml");
  writeFileSync(
    file,
    `version: 1
models:
  - id: offline
    provider: scripted
    script: { otherwise: { text: hello } }
suites:
  - name: greeting
    tests:
      - name: says-hello
        input: Say hello
        assert:
          - { type: contains, value: hello }
`,
  );
  return file;
}

const answerAssertions = (order) => [
  "{ type: contains, value: forty-two }",
  `{ type: not_contains, value: "sorry ${order}" }`,
  '{ type: matches, value: "answer is [a-z-]+" }',
  "{ type: length, max: 200 }",
];

const listOf = (indent, entries) => entries.map((entry) => `${indent}- ${entry}\n`).join("");

/**
 * What people write: a test for each question, with five assertions each. In the shape "rows" the questions are rows of one
 * test's dataset; in the shape "tools" the agent is expected to look each order up.
 */
export function writeWrittenOut(folder, { url, cases, concurrency, shape }) {
  const orders = Array.from({ length: cases }, (_, index) => `ORD-${1_000 + index}`);
  const test = (name, order, more = "") => `      - name: ${name}
${more}        input: "What is the answer to order ${order}? I have been waiting for it."
        assert:
${listOf("          ", [
  shape === "tools"
    ? `{ type: tool_called, tool: lookup_order, args: { order_id: ${order} } }`
    : "{ type: tool_not_called, tool: lookup_order }",
  ...answerAssertions(order),
])}`;
  const tests =
    shape === "rows"
      ? test("answers", "{{order}}", "        dataset: orders.jsonl\n")
      : orders
          .map((order, index) => test(`answers-${index}`, order, `        tags: [smoke, area-${index % 10}]\n`))
          .join("\n");
  const file = join(folder, `${shape}.yaml`);
  writeFileSync(
    join(folder, "orders.jsonl"),
    orders.map((order) => `${JSON.stringify({ id: order, order })}\n`).join(""),
  );
  writeKey(folder);
  writeFileSync(
    file,
    `${head(url, concurrency)}suites:
  - name: orders
    system_prompt: You answer questions.
    tools:
      - name: lookup_order
        description: Looks up an order by its ID
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        default: { return: { status: delivered } }
    tests:
${tests}`,
  );
  return file;
}

/** A test of `trials` trials, each of which gets a copy of a folder with `files` files and changes one of them. */
export function writeWorkspaceTest(folder, { trials, concurrency, files }) {
  const seed = join(folder, "seed");
  for (let index = 0; index < files; index += 1) {
    const place = join(seed, `folder-${index % 10}`);
    mkdirSync(place, { recursive: true });
    const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = ${index * line};\n`);
    writeFileSync(join(place, `file-${index}.js`), lines.join(""));
  }
  const path = "folder-0/file-0.js";
  const call = (turn, tool, args) => ({ when: { turn }, reply: { tool_calls: [{ tool, args: { path, ...args } }] } });
  const rules = [call(1, "fs_read", {}), call(2, "fs_write", { content: "export const changed = true;\n" })];
  const config = {
    version: 1,
    defaults: { concurrency },
    models: [{ id: "agent", provider: "scripted", script: { rules, otherwise: { text: "Done" } } }],
    suites: [
      {
        name: "files",
        workspace: { from: "seed" },
        tools: ["fs_*"],
        runs: trials,
        tests: [{ name: "change", input: "Change it", assert: [{ type: "files_changed", only: [path] }] }],
      },
    ],
  };
  const file = join(folder, "workspaces.yaml");
  writeFileSync(file, JSON.stringify(config));
  return { file, seed };
}
