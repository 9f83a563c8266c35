import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { fileOn } from "./support/docs/pages.js";
import { reportErrors } from "./support/report-errors.js";
import { runCli } from "./support/run-cli.js";

interface Report {
  suites: {
    tests: {
      id: string;
      fault: string | null;
      status: string;
      error: { code: string; message: string } | null;
      trials: {
        faults?: { id: string; fired: number }[];
        toolCalls: {
          tool: string;
          fault?: { id: string; returned?: unknown };
          stateChanges?: unknown[];
          error: { errorType: string } | null;
        }[];
      }[];
    }[];
  }[];
}

async function reportOf(cwd: string, flags: readonly string[] = []): Promise<{ code: number | null; report: Report }> {
  const ran = await runCli(["test", "--reporter", "json", ...flags], { cwd });
  const report: unknown = JSON.parse(ran.stdout);
  expect(reportErrors(report)).toEqual([]);
  return { code: ran.code, report: report as Report };
}

describe("the example of the page on faults", () => {
  const config = fileOn("docs/faults.md", "kindlm.yaml");
  const cwd = () => makeProject({ "kindlm.yaml": config });

  it("finds the agent out", async () => {
    const { code, report } = await reportOf(cwd());
    expect(code).toBe(1);
    const [suite] = report.suites;
    expect(suite?.tests.map(({ id, fault, status }) => [id, fault, status])).toEqual([
      ["checkout/charges-once@agent", null, "passed"],
      ["checkout/charges-once@agent+declined", "declined", "failed"],
      ["checkout/charges-once@agent+hang:charge_card", "hang:charge_card", "failed"],
      ["checkout/charges-once@agent+duplicate:charge_card", "duplicate:charge_card", "passed"],
    ]);
    const [, declined, , duplicate] = suite?.tests ?? [];
    expect(declined?.trials[0]?.toolCalls.map(({ fault }) => fault?.id)).toEqual(["declined", undefined]);
    expect(duplicate?.trials[0]).toMatchObject({
      faults: [{ id: "duplicate:charge_card", calls: 1, fired: 1 }],
      toolCalls: [
        {
          fault: { kind: "duplicate", returned: { receipt: "R-1" } },
          error: { errorType: "logical", message: "already paid" },
          stateChanges: [{ path: "paid", from: false, to: true }],
        },
      ],
    });
  });

  it("shows where each call met its fault, and how to run that case again", async () => {
    const ran = await runCli(["test"], { cwd: cwd() });
    expect(ran.stdout).toMatch(
      /agent {3}charge_card {2}amount 20 .*\n {5}fault {3}declined, injected: "card declined"/,
    );
    expect(ran.stdout).toContain("checkout/charges-once@agent+declined");
    expect(ran.stdout).toMatch(/Summary: 2 passed, 2 failed, 0 errored, 0 skipped/);
  });

  it("lists a case for each fault, filters them and counts them", async () => {
    const folder = cwd();
    const listed = await runCli(["test", "--list", "-t", "+"], { cwd: folder });
    expect(listed.stdout.trim().split("\n")).toEqual([
      "checkout/charges-once@agent+declined",
      "checkout/charges-once@agent+hang:charge_card",
      "checkout/charges-once@agent+duplicate:charge_card",
    ]);
    const validated = await runCli(["validate"], { cwd: folder });
    expect(validated.stdout).toContain("4 cases");
    const { code, report } = await reportOf(folder, ["-t", "charges-once@agent+duplicate"]);
    expect([code, report.suites[0]?.tests.length]).toEqual([0, 1]);
  });

  it("is errored where a fault could not fire, and says why", async () => {
    const folder = makeProject({ "kindlm.yaml": config.replace("kind: hang, call: 1", "kind: hang, call: 2") });
    const ran = await runCli(["test", "-t", "+hang"], { cwd: folder });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(
      'The fault "hang:charge_card" never fired: it applies to call 2, but charge_card was called once',
    );
    expect(ran.stdout).toMatch(/0 failed, 1 errored/);
  });

  it("names the tool that was meant", async () => {
    const folder = makeProject({
      "kindlm.yaml": config.replace("tool: charge_card, kind: hang", "tool: charge_cart, kind: hang"),
    });
    const ran = await runCli(["validate"], { cwd: folder });
    expect(ran.code).toBe(1);
    expect(`${ran.stdout}${ran.stderr}`).toContain('Did you mean "charge_card"?');
  });
});

describe("the example of the page on simulated tools", () => {
  it("passes", async () => {
    const config = fileOn("docs/simulated-tools.md", "kindlm.yaml");
    const { code, report } = await reportOf(makeProject({ "kindlm.yaml": config }));
    expect(report.suites[0]?.tests.map(({ status, error }) => [status, error?.message])).toEqual([
      ["passed", undefined],
      ["passed", undefined],
    ]);
    expect(code).toBe(0);
    expect(report.suites[0]?.tests[0]?.trials[0]?.toolCalls.flatMap((call) => call.stateChanges ?? [])).toEqual([
      { path: "orders.ORD-1.status", from: "open", to: "cancelled" },
    ]);
  });
});
