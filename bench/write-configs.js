import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** One test with a dataset of `cases` rows, two assertions, against a server. */
export function writeThroughputConfig(folder, { url, cases, concurrency, name }) {
  const rows = Array.from({ length: cases }, (_, index) => JSON.stringify({ id: `q${index}`, question: `${index}` }));
  writeFileSync(join(folder, `${name}.jsonl`), `${rows.join("\n")}\n`);
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `version: 1
providers:
  bench: { type: openai, base_url: ${url}, api_key_env: BENCH_KEY }
models:
  - { id: bench, provider: bench, model: bench-1 }
defaults: { concurrency: ${concurrency} }
suites:
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
  writeFileSync(join(folder, ".env"), "BENCH_KEY=bench-key\n");
  return file;
}

/** A config of 1,000 tests and about 270 KB. */
export function writeLargeConfig(folder) {
  const tests = Array.from(
    { length: 1_000 },
    (_, index) => `      - name: test-${index}
        tags: [smoke, area-${index % 10}]
        input: "Where is order ORD-${index}? I have been waiting for it."
        assert:
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-${index} } }
          - { type: contains, value: ORD-${index} }
`,
  );
  const file = join(folder, "large.yaml");
  writeFileSync(
    file,
    `version: 1
models:
  - id: offline
    provider: scripted
    script: { otherwise: { text: hello } }
suites:
  - name: large
    tools:
      - name: lookup_order
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        default: { return: { status: delivered } }
    tests:
${tests.join("")}`,
  );
  return file;
}
