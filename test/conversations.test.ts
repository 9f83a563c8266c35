import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { reportErrors } from "./support/report-errors.js";
import { fileOn } from "./support/docs/pages.js";
import { runCli, type InProcessOptions } from "./support/run-cli.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { until } from "./support/until.js";

interface Report {
  summary: { requests: number; simulatedUser?: { turns: number; requests: number } };
  suites: {
    tests: {
      id: string;
      status: string;
      error: { code: string; number: number; message: string; details?: Record<string, unknown> } | null;
      trials: {
        error: { details?: Record<string, unknown> } | null;
        simulatedUser?: { stoppedBy: string | null; turns: number; conversation: { by: string; text: string }[] };
      }[];
    }[];
  }[];
}

const reportOf = (files: Record<string, string>, env: Record<string, string> = {}): Promise<Report> =>
  reportIn(makeProject(files), { env });

async function reportIn(cwd: string, more: Omit<InProcessOptions, "cwd">): Promise<Report> {
  const ran = await runCli(["test", "--reporter", "json"], { cwd, openModules: sharedModules, ...more });
  const report: unknown = JSON.parse(ran.stdout);
  expect(reportErrors(report)).toEqual([]);
  return report as Report;
}

const testsOf = (report: Report) => report.suites.flatMap((suite) => suite.tests);
const talkOf = (report: Report) =>
  testsOf(report)[0]?.trials[0]?.simulatedUser?.conversation.map(({ by, text }) => `${by}: ${text}`);

describe("docs/simulated-users.md", () => {
  const config = fileOn("docs/simulated-users.md", "kindlm.yaml");

  it("is right about the report: who said what, and what the user took", async () => {
    const report = await reportOf({ "kindlm.yaml": config });
    expect(talkOf(report)).toEqual([
      "simulated_user: I want to cancel my order.",
      "agent: Which order do you mean?",
      "simulated_user: It is ORD-1.",
      "agent: Order ORD-1 is cancelled, and you get your money back.",
    ]);
    expect(report.summary).toMatchObject({ requests: 6, simulatedUser: { turns: 3, requests: 5 } });
  });
});

/** The user says which message it is, and ends when the agent counts to three. */
const counting = `models:
  - id: customer
    provider: scripted
    script:
      rules:
        - { when: { user: { $contains: "number 3" } }, reply: { text: "###GOAL_REACHED###" } }
        - { when: { turn: 1 }, reply: { text: One } }
        - { when: { turn: 2 }, reply: { text: Two } }
      otherwise: { text: Three }
`;

const suiteWith = (target: string): string => `version: 1
${counting}suites:
  - name: s
    target: ${target}
    tests:
      - name: t
        simulated_user: { goal: Hear number 3, model: customer, max_turns: 4 }
        assert:
          - { type: conversation_ended, by: goal }
          - { type: contains, value: "number 1 One", user_turn: 1 }
          - { type: contains, value: "number 3 Three", user_turn: 3 }
`;

const counted = [
  "simulated_user: One",
  "agent: number 1 One",
  "simulated_user: Two",
  "agent: number 2 Two",
  "simulated_user: Three",
  "agent: number 3 Three",
];

const jsonLines = `import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type !== "user") continue;
  console.log(JSON.stringify({ type: "text", text: "number " + message.turn + " " + message.content }));
  console.log(JSON.stringify({ type: "done" }));
}
`;
const plain = 'echo "number $KINDLM_TURN $(cat)"';
const module = `export const run = (input, ctx) => "number " + ctx.userTurn + " " + input;\n`;

describe("a simulated user", () => {
  it.each([
    [
      "a program that talks in JSON lines",
      "{ command: [node, agent.mjs], protocol: json_lines }",
      "agent.mjs",
      jsonLines,
    ],
    ["a plain program", "{ command: [sh, agent.sh] }", "agent.sh", plain],
    ["a module", "{ module: ./agent.mjs#run }", "agent.mjs", module],
  ])("talks with %s", async (_what, target, file, agent) => {
    const report = await reportOf({ "kindlm.yaml": suiteWith(target), [file]: agent });
    expect(testsOf(report).map(({ status, error }) => [status, error])).toEqual([["passed", null]]);
    expect(talkOf(report)).toEqual(counted);
  });

  it("talks with a service, in one session", async () => {
    const sessions = new Map<string, number>();
    const server = await startServer(({ json }, response) => {
      const { input, session } = json as { input: string; session: string };
      const number = (sessions.get(session) ?? 0) + 1;
      sessions.set(session, number);
      response.end(`number ${number} ${input}`);
    });
    const report = await reportOf({ "kindlm.yaml": suiteWith(`{ url: "${server.url}/chat" }`) });
    await server.close();
    expect(testsOf(report).map(({ status, error }) => [status, error])).toEqual([["passed", null]]);
    expect(talkOf(report)).toEqual(counted);
    expect([...sessions.values()]).toEqual([3]);
  });

  it("is asked over HTTP with the roles flipped, and its failure is told as its own", async () => {
    const server = await startServer(({ number }, response) => {
      if (number > 1) {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: "bad key" } }));
        return;
      }
      response.setHeader("content-type", "application/json");
      const message = { role: "assistant", content: "One" };
      response.end(JSON.stringify({ id: "1", model: "u", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
    const config = suiteWith("{ module: ./agent.mjs#run }").replace(
      counting,
      `providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: USER_KEY } }
models: [{ id: customer, provider: local, model: u, params: { temperature: 1 } }]
`,
    );
    const files = { "kindlm.yaml": config, "agent.mjs": module };
    const report = await reportOf(files, { USER_KEY: "user-key-0123456789" });
    const pretty = await runCli(["test"], { cwd: makeProject(files), openModules: sharedModules });
    await server.close();
    const [test] = testsOf(report);
    expect(test).toMatchObject({
      status: "errored",
      error: {
        code: "SIMULATED_USER_ERROR",
        number: 303,
        details: { role: "simulated_user", model: "customer", causedBy: { code: "PROVIDER_AUTH_ERROR" } },
      },
    });
    expect(test?.trials[0]?.simulatedUser).toMatchObject({ stoppedBy: null, turns: 1 });
    const [, second] = server.requests;
    const { messages, temperature } = (second?.json ?? {}) as {
      messages: { role: string; content: string }[];
      temperature: number;
    };
    expect(temperature).toBe(1);
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(messages[2]?.content).toBe("One");
    expect(messages[3]?.content).toMatch(/^<(agent_said_\w+)>\nnumber 1 One\n<\/\1>\n/);
    expect(pretty.stdout).toContain("! 1  The simulated user (customer) could not go on: ");
    expect(pretty.stdout).toContain("This is not a failure of the agent");
  });

  it("is stopped with the trial, and the time is to blame", async () => {
    const hanging = suiteWith("{ module: ./agent.mjs#run }")
      .replace("otherwise: { text: Three }", "otherwise: { hang: true }")
      .replace("      - name: t\n", "      - name: t\n        timeouts: { trial: 300ms }\n");
    const marking = module.replace(
      "=>",
      '=> ctx.userTurn === 2 && writeFileSync(new URL("second", import.meta.url), "") ||',
    );
    const agent = `import { writeFileSync } from "node:fs";\n${marking}`;
    const cwd = makeProject({ "kindlm.yaml": hanging, "agent.mjs": agent });
    const clock = createManualClock({ start: Date.now() });
    const running = reportIn(cwd, { clock });
    await until(() => existsSync(join(cwd, "second")));
    clock.advance(300);
    const report = await running;
    expect(testsOf(report)[0]).toMatchObject({ status: "errored", error: { code: "ENGINE_TIMEOUT" } });
    expect(testsOf(report)[0]?.trials[0]?.simulatedUser).toMatchObject({ stoppedBy: null, turns: 2 });
  });
});

describe("a written conversation", () => {
  it("sends images in any turn, and looks at each turn by itself", async () => {
    const report = await reportOf({
      "kindlm.yaml": `version: 1
suites:
  - name: s
    target: { command: [node, agent.mjs], protocol: json_lines }
    tests:
      - name: t
        conversation:
          - user: Hi
            assert:
              - { type: equals, value: Hi }
              - { type: contains, value: never, when: { output: { $contains: image } } }
          - user: [{ type: text, text: "{{what}}" }, { type: image, file: a.png }]
            assert: [{ type: equals, value: "this and an image of 3 bytes" }]
        vars: { what: this }
        assert: [{ type: contains, value: Hi, user_turn: 1 }]
`,
      "a.png": "png",
      "agent.mjs": jsonLines.replace(
        '"number " + message.turn + " " + message.content',
        'typeof message.content === "string" ? message.content : message.content.map((part) => part.type === "text" ? part.text : "an image of " + Buffer.from(part.source.data, "base64").length + " bytes").join(" and ")',
      ),
    });
    expect(testsOf(report).map(({ status, error }) => [status, error])).toEqual([["passed", null]]);
  });
});
