import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../__fixtures__/any-text.js";
import { failedCase, passedCase, sampleAssertion, sampleRun, threeSuites } from "../../__fixtures__/sample-run.js";
import type { RunResult } from "../../engine/run-result.js";
import { renderToString } from "../render-to-string.js";
import { junitReporter } from "./junit-reporter.js";

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

const tokens = /<\?xml[^?]*\?>|<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const forbidden =
  // eslint-disable-next-line no-control-regex -- what XML 1.0 forbids is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#10": "\n", "#9": "\t" };

function decode(text: string): string {
  if (text.includes("]]>")) throw new Error("]]> in character data");
  return text.replaceAll(/&([^;]*);?/g, (whole, name: string) => {
    const value = entities[name];
    if (value === undefined || !whole.endsWith(";")) throw new Error(`not an entity: ${whole}`);
    return value;
  });
}

/** Reads the subset of XML that the reporter writes, and refuses everything else. */
function parseXml(xml: string): Element {
  if (forbidden.test(xml)) throw new Error("a character that XML forbids");
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < xml.length) {
    const at = tokens.lastIndex;
    const match = tokens.exec(xml);
    if (match === null) throw new Error(`not XML: ${xml.slice(at, at + 80)}`);
    const [, closing, name, attributes, empty, text] = match;
    const top = open.at(-1) ?? root;
    if (text !== undefined) top.text += decode(text);
    else if (name === undefined) continue;
    else if (closing === "/") {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`);
    } else {
      const pairs = [...(attributes ?? "").matchAll(/([a-z]+)="([^"]*)"/g)];
      const element: Element = { name, attributes: {}, children: [], text: "" };
      for (const [, key = "", value = ""] of pairs) element.attributes[key] = decode(value);
      top.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error("elements left open");
  return root.children[0] ?? root;
}

const seconds = /^\d+\.\d{3}$/;
const outcome = { attributes: { type: null, message: null }, children: [] };
const outputs = ["system-out", "system-err"];

/**
 * What junit-10.xsd of the Jenkins xUnit plugin (of November 2025) lets an element have: attributes with the format that
 * it sets, those that must be there, and children. The schemas that other systems publish allow at least that.
 */
const allowed: Record<
  string,
  { attributes: Record<string, RegExp | null>; required?: readonly string[]; children: readonly string[] }
> = {
  testsuites: {
    attributes: { name: null, time: seconds, tests: null, failures: null, errors: null },
    children: ["testsuite"],
  },
  testsuite: {
    attributes: {
      name: null,
      tests: null,
      failures: null,
      errors: null,
      group: null,
      time: seconds,
      skipped: null,
      timestamp: null,
      hostname: null,
      id: null,
      package: null,
      file: null,
      log: null,
      url: null,
      version: null,
    },
    required: ["name", "tests", "failures", "errors"],
    children: ["testsuite", "properties", "testcase", ...outputs],
  },
  properties: { attributes: {}, children: ["property"] },
  property: { attributes: { name: null, value: null }, required: ["name", "value"], children: [] },
  testcase: {
    attributes: { name: null, time: null, classname: null, group: null },
    required: ["name"],
    children: ["skipped", "error", "failure", ...outputs],
  },
  skipped: outcome,
  error: outcome,
  failure: outcome,
  "system-out": { attributes: {}, children: [] },
  "system-err": { attributes: {}, children: [] },
};

/** What the schema of Jenkins has against an element and those in it. */
function flawsOf({ name, attributes, children }: Element): string[] {
  const rules = allowed[name];
  if (rules === undefined) return [`<${name}>`];
  const wrong = Object.entries(attributes).filter(([key, value]) => {
    const format = rules.attributes[key];
    return format === undefined || format?.test(value) === false;
  });
  return [
    ...wrong.map(([key, value]) => `<${name} ${key}="${value}">`),
    ...(rules.required ?? []).filter((key) => !(key in attributes)).map((key) => `<${name}> without ${key}`),
    ...children.filter((child) => !rules.children.includes(child.name)).map((child) => `<${name}><${child.name}>`),
    ...children.flatMap(flawsOf),
  ];
}

async function render(run: RunResult): Promise<Element> {
  const rendered = await renderToString(junitReporter, run);
  if (!rendered.success) throw new Error(rendered.error.message);
  const root = parseXml(rendered.data);
  expect(flawsOf(root)).toEqual([]);
  return root;
}

const inSuite = (tests: RunResult["suites"][number]["tests"]): RunResult =>
  sampleRun([{ status: "run", name: "Suite A", file: "kindlm.yaml", tests }]);

describe("junitReporter", () => {
  it("keeps failure, error and skipped apart and counts them", async () => {
    const root = await render(threeSuites());
    expect(root.attributes).toMatchObject({ tests: "7", failures: "1", errors: "1", time: "1.200" });
    const [a, b] = root.children;
    expect(a?.attributes).toMatchObject({ name: "Suite A", tests: "3", failures: "1", errors: "1", skipped: "0" });
    const cases = a?.children.filter((child) => child.name === "testcase") ?? [];
    expect(cases.map((one) => one.children[0]?.name)).toEqual(["system-out", "failure", "error"]);
    expect(cases[2]?.children[0]?.attributes).toEqual({
      message: "OpenAI request timed out after 30000ms",
      type: "PROVIDER_TIMEOUT",
    });
    expect(b?.attributes).toMatchObject({ tests: "2", skipped: "2" });
    expect(b?.children.at(-1)).toMatchObject({
      name: "system-err",
      text: 'system_prompt_file "prompts/missing.txt" not found',
    });
  });

  it("carries the run and its gates as properties", async () => {
    const gate = {
      name: "pass_rate",
      scope: "run",
      pass: false,
      limit: 0.9,
      actual: 0.5,
      message: "0.5 < 0.9",
    } as const;
    const root = await render({ ...inSuite([passedCase("a")]), gates: [gate] });
    const properties = root.children[0]?.children[0]?.children.map(({ attributes }) => attributes);
    expect(properties).toContainEqual({ name: "kindlm.run", value: "run-1" });
    expect(properties).toContainEqual({ name: "kindlm.gate.pass_rate", value: "tripped: 0.5 < 0.9" });
  });

  it("says in properties of the suite where an agent had help, and in the text where a test is", async () => {
    const position = { file: "kindlm.yaml", line: 94, column: 3, length: 4 };
    const test = failedCase("a", { position, fallback: "claude", nudges: { count: 2, trials: 1 }, toolFallbacks: 3 });
    const [suite] = (await render(inSuite([test]))).children;
    const properties = suite?.children[0]?.children.map(({ attributes }) => Object.values(attributes).join("="));
    const help = ["kindlm.fallback[a@gpt]=claude", "kindlm.nudges[a@gpt]=2", "kindlm.tool_fallbacks[a@gpt]=3"];
    expect(properties?.slice(-3)).toEqual(help);
    expect(suite?.children[1]?.children[0]?.text).toMatch(/^contains: [^\n]+\nkindlm\.yaml:94$/);
  });

  it("shows an allowed failure as skipped, because it does not count", async () => {
    const root = await render(inSuite([failedCase("a", { allowFailure: "known" })]));
    expect(root.children[0]?.attributes).toMatchObject({ failures: "0", skipped: "1" });
    expect(root.children[0]?.children[1]?.children[0]?.attributes["message"]).toContain("known");
  });

  it("is well-formed whatever the model says, and loses none of it", async () => {
    const said = anyText({ maxLength: 60 });
    const nasty = fc.constantFrom(
      "]]>",
      "</failure>",
      "\u0000\u001b[2J",
      "\ud800",
      "a\ufffeb\uffff",
      '"&<>\t\n\r',
      "&amp;",
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(said, nasty), fc.oneof(said, nasty), async (name, message) => {
        const assertions = [sampleAssertion({ pass: false, message })];
        const root = await render(inSuite([failedCase(name, { id: name }, { assertions, output: message })]));
        const test = root.children[0]?.children[1];
        expect(test?.children.map((child) => child.name)).toEqual(
          message === "" ? ["failure"] : ["failure", "system-out"],
        );
        const plain = message.replaceAll(/[^\x20-\x7e\n\t]/g, "");
        expect(test?.children[0]?.text).toContain(plain === message ? plain : "contains: ");
      }),
    );
  });
});
