import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { runCli } from "./support/run-cli.js";

const orders = 40;

/** A secret, a text that an assertion hides, one that must not be found, and a case with two trials. */
const suitesOn = (url: string): string => `version: 1
providers: { loopback: { type: openai, base_url: "${url}", api_key_env: SECRET_KEY } }
models: [{ id: m, provider: loopback, model: m }]
suites:
  - name: orders
    tests:
      - name: order
        rows: [${Array.from({ length: orders }, (_, index) => `{ id: r${index}, n: ${index} }`).join(", ")}]
        input: "Where is order {{n}}?"
        assert:
          - { type: contains, value: "Order {{n}}" }
          - { type: not_contains, value: "Order 7 " }
      - { name: twice, runs: 2, input: "Where is order 3?", assert: [{ type: contains, value: Order }] }
`;

it.each([{ flags: [] }, { flags: ["--verbose"] }])(
  "a report whose cases were rendered while answers were awaited is that of the journal ($flags)",
  async ({ flags }) => {
    const server = await startServer(({ body }, response) => {
      const order = /order (\d+)/.exec(body)?.[1];
      const answer = chatCompletion({ text: `Order ${order} was sent with key-of-the-server-42.` });
      // The others are rendered while the last is awaited.
      setTimeout(() => sendJson(response, 200, answer), order === `${orders - 1}` ? 100 : 1);
    });
    onTestFinished(() => server.close());
    const options = {
      cwd: makeProject({ "kindlm.yaml": suitesOn(server.url) }),
      env: { SECRET_KEY: "key-of-the-server-42" },
    };
    const ran = await runCli(["test", ...flags, "--reporter", "json=ran.json"], options);
    expect(ran.code).toBe(1);
    await runCli(["report", ...flags, "--reporter", "json=read.json"], options);
    const [first, second] = ["ran.json", "read.json"].map((file) => readFileSync(join(options.cwd, file), "utf8"));
    expect(first).toBe(second);
    expect(first).toContain("was sent with");
    expect(first).not.toContain("key-of-the-server");
  },
);
