import { createHash } from "node:crypto";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { readHtmlReport } from "./support/read-html-report.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";

const hostile = `</script><img src=x onerror=alert(1)> \u001b[31mred \u202eback`;

const config = (amount = 1): string =>
  JSON.stringify({
    version: 1,
    project: "acme <b>support</b>",
    circuit_breaker: false,
    models: ["gpt", "claude"].map((id) => ({
      id,
      provider: "scripted",
      script: {
        rules: [
          { when: { user: "fail" }, reply: { error: { status: 401 } } },
          {
            when: { user: { $contains: "refund" }, turn: 1 },
            reply: { tool_calls: [{ tool: "issue_refund", args: { order_id: "ORD-4", amount } }] },
          },
        ],
        otherwise: { text: `Done. ${hostile}` },
      },
    })),
    suites: [
      {
        name: "refunds",
        tools: [{ name: "issue_refund", default: { return: { refund_id: "RF-4" } } }],
        tests: [
          {
            name: "full-refund",
            runs: 2,
            tags: ["money"],
            input: "refund ORD-4",
            assert: [{ type: "tool_called", tool: "issue_refund", args: { order_id: "ORD-4", amount: 1250 } }],
          },
          { name: "greets", input: "hello", assert: [{ type: "contains", value: "Done" }] },
          { name: "errors", models: ["gpt"], input: "fail", assert: [{ type: "contains", value: "Done" }] },
          { name: "left-out", skip: true, input: "hello", assert: [{ type: "contains", value: "Done" }] },
        ],
      },
    ],
  });

let cwd = "";
let ran: CliOutcome;
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd, env: { CI: "1" } });
const read = (file: string) => readHtmlReport(readFileSync(join(cwd, file), "utf8"));

beforeAll(async () => {
  cwd = makeProject({ "kindlm.yaml": config() });
  ran = await run("test", "--reporter", "html=out/report.html");
});

describe("the HTML report", () => {
  it("has what every list needs in its index, in the order of the config", () => {
    expect(ran.code).toBe(1);
    const { index } = read("out/report.html");
    expect(index.head).toMatchObject({
      project: "acme <b>support</b>",
      verdict: "failed",
      counts: { passed: 2, failed: 2, errored: 1, skipped: 2 },
    });
    expect(index.models.map(({ name }) => name)).toEqual(["gpt", "claude"]);
    expect(index.cases.map(({ id, status, trials, shownTrial }) => [id, status, trials, shownTrial])).toEqual([
      ["refunds/full-refund@gpt", "failed", "ff", 1],
      ["refunds/full-refund@claude", "failed", "ff", 1],
      ["refunds/greets@gpt", "passed", "p", 1],
      ["refunds/greets@claude", "passed", "p", 1],
      ["refunds/errors@gpt", "errored", "e", 1],
      ["refunds/left-out@gpt", "skipped", "", 0],
      ["refunds/left-out@claude", "skipped", "", 0],
    ]);
    expect(index.kinds).toMatchObject([{ title: "issue_refund is called with the wrong amount", cases: 2 }]);
    expect(index.kinds[0]?.where).toMatch(/^tool_called · kindlm\.yaml:\d+$/);
    expect(index.causes).toMatchObject([{ cases: 1 }]);
    expect(index.cases.map(({ kind, cause }) => kind ?? cause)).toEqual([
      1,
      1,
      undefined,
      undefined,
      1,
      undefined,
      undefined,
    ]);
    expect(index.cases[0]).toMatchObject({ test: "full-refund", tags: [0], passes: 0, required: 2, model: 0 });
  });

  it("opens a case at the trial that the terminal shows", async () => {
    const { index } = read("out/report.html");
    const { stdout } = await run("show", "1", "--json");
    const shown = JSON.parse(stdout) as { id: string; trials: { trial: number }[] };
    const found = index.cases.find(({ kind, status }) => kind === 1 && status === "failed");
    expect(found?.id).toBe(shown.id);
    const text = await run("show", "1");
    expect(text.stdout).toContain(`trial ${found?.shownTrial}`);
  });

  it("has every word and call of each trial, with the argument that was rejected", () => {
    const { detail } = read("out/report.html").find("full-refund@claude");
    const [, call, result, answer] = detail.trials[1]?.rows ?? [];
    expect(call).toMatchObject({
      by: "agent",
      tool: "issue_refund",
      fields: [
        { name: "order_id", value: '"ORD-4"' },
        { name: "amount", value: "1", expected: "1250" },
      ],
    });
    expect(result).toMatchObject({ by: "tool", fields: [{ name: "refund_id", value: '"RF-4"' }] });
    expect(answer?.text).toBe(String.raw`Done. </script><img src=x onerror=alert(1)> ␛[31mred \u202eback`);
    expect(detail.trials[1]?.messages[0]).toEqual({ role: "user", content: "refund ORD-4" });
    expect(detail.command).toContain("-t refunds/full-refund@claude");
    const [errored] = read("out/report.html").find("errors").detail.trials;
    expect(errored?.error?.code).toBe("PROVIDER_AUTH_ERROR");
  });

  it("allows no script and no style but its own, and contains text of others in no other form than coded or escaped", () => {
    const html = readFileSync(join(cwd, "out/report.html"), "utf8");
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const hashIn = (tag: string): string => hashOf(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? "");
    const page = /id="report-app">([^<]*)</.exec(html)?.[1] ?? "";
    const hashOfPage = hashOf(inflateRawSync(Buffer.from(page, "base64")).toString());
    expect(policy).toBe(
      `default-src 'none'; script-src ${hashIn("script")} ${hashOfPage}; style-src ${hashIn("style")}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    // What is compared is short: a failure prints it.
    expect(["onerror=alert", "<b>support"].filter((text) => html.includes(text))).toEqual([]);
    expect(html.match(/<\/script>/g)).toHaveLength(html.match(/<script[ >]/g)?.length ?? 0);
    const title = "✗ acme &#60;b&#62;support&#60;/b&#62;: 2 passed, 2 failed, 1 errored";
    expect(/<title>(.*)<\/title>/.exec(html)?.[1]).toBe(title);
  });

  it("is the same on stdout, and from the journal", async () => {
    const shown = await run("report", "last", "--reporter", "html");
    expect(shown.code).toBe(0);
    expect(shown.stdout === readFileSync(join(cwd, "out/report.html"), "utf8")).toBe(true);
  });

  it("works if a secret is a word of its script, and masks it in everything else", async () => {
    const masked = await runCli(["report", "last", "--reporter", "html"], { cwd, env: { A_KEY: "document" } });
    expect(masked.stdout.includes(String.raw`\u0064ocument`)).toBe(true);
    expect(masked.stdout.includes("[redacted]")).toBe(false);
    const said = await runCli(["report", "last", "--reporter", "html"], { cwd, env: { A_KEY: "refund ORD-4" } });
    expect(readHtmlReport(said.stdout).text).toContain("[redacted]");
    expect(readHtmlReport(said.stdout).text).not.toContain("refund ORD-4");
  });
});

describe("kindlm open", () => {
  it("writes the report into the folder of the run, for nobody else to read, and prints its path", async () => {
    const opened = await run("open");
    expect(opened).toMatchObject({ code: 0, stderr: "No browser is opened in CI. Open the file in a browser\n" });
    const file = opened.stdout.trimEnd();
    expect(file).toMatch(/\.kindlm[\\/]runs[\\/][^\\/]+[\\/]report\.html$/);
    expect(readFileSync(file, "utf8") === readFileSync(join(cwd, "out/report.html"), "utf8")).toBe(true);
    if (process.platform !== "win32") expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(await run("open", "--print")).toMatchObject({ code: 0, stdout: opened.stdout, stderr: "" });
  });

  it("hands the path to the program in BROWSER, whose failure is no error", async () => {
    const browser = join(cwd, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${cwd}/opened'\n`);
    chmodSync(browser, 0o755);
    const opened = await runCli(["open"], { cwd, env: { BROWSER: browser, SSH_TTY: "/dev/pts/1" } });
    expect(opened).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "opened"), "utf8")).toBe(opened.stdout.trimEnd());
    expect(await runCli(["open"], { cwd, env: { BROWSER: join(cwd, "missing") } })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Could not open the report with"),
    });
  });

  it("compares with an earlier run and with the baselines, also of another model", async () => {
    const project = makeProject({ "kindlm.yaml": config() });
    const inProject = (...args: readonly string[]) => runCli(args, { cwd: project, env: { CI: "1" } });
    await inProject("test", "-t", "@gpt");
    await inProject("baseline", "set", "--allow-errored");
    writeFileSync(join(project, "kindlm.yaml"), config(1250));
    await inProject("test", "-t", "@claude");
    const runs = JSON.parse((await inProject("runs", "list", "--json")).stdout) as { id: string }[];
    const earlier = runs[1]?.id ?? "";
    const opened = await inProject("open", "--compare", earlier, "--compare", "baseline");
    expect(opened.stderr).toContain("No browser");
    const { index } = readHtmlReport(readFileSync(opened.stdout.trimEnd(), "utf8"));
    expect(index.comparisons.map(({ by }) => by)).toEqual(["run", "baseline"]);
    expect(index.comparisons[0]?.name).toContain(earlier);
    expect(index.comparisons[0]?.cases[0]).toMatchObject({
      id: "refunds/full-refund@claude",
      case: 0,
      passes: 0,
      counted: 2,
      calls: {
        before: ['issue_refund {"amount":1,"order_id":"ORD-4"}'],
        after: ['issue_refund {"amount":1250,"order_id":"ORD-4"}'],
      },
    });
  });

  it("names runs that are not there, and writes nothing then", async () => {
    const missing = await run("open", "20250101");
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain('Run "20250101" not found');
    expect(await run("open", "--compare", "20250101")).toMatchObject({ code: 1, stdout: "" });
    expect(await run("open", "--compare", "baseline")).toMatchObject({ code: 1, stdout: "" });
    const empty = makeProject({ "kindlm.yaml": config() });
    expect(await runCli(["open"], { cwd: empty })).toMatchObject({ code: 1, stdout: "" });
    expect(existsSync(join(empty, ".kindlm"))).toBe(false);
  });
});
