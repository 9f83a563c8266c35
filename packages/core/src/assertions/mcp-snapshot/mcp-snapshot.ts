import * as z from "../../values/deferred-zod.js";
import { attempt } from "../../errors/boundary.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { messageOf } from "../../errors/message-of.js";
import { mebibyte, readText } from "../../files/open-for-reading.js";
import { failure, success, type Result } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { canonicalJson } from "../../values/canonical-json.js";
import { parseOwnJson } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";
import { plural } from "../../values/plural.js";
import { evalError } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion, type AssertionContext } from "../define-assertion.js";
import { readDirectCall } from "../tool-expectations/read-direct-call.js";
import { compareLists, entriesOf, type ListedEntries } from "./compare-lists.js";

const type = "mcp_snapshot";
const shown = 5;
const mostBytes = 10 * mebibyte;
const howToWrite = "Run the test with --update-snapshots, review the file, and commit it";

interface Options {
  file: string;
}

export const mcpSnapshot = defineAssertion<Options>({
  type,
  summary: "What the MCP server under test lists is equal to the file: names, descriptions, schemas and annotations.",
  example: "{ type: mcp_snapshot, file: snapshots/files.json }",
  kind: "deterministic",
  options: strictObject({
    file: z.string().min(1).describe("JSON file with the list, relative to the config; --update-snapshots writes it."),
  }),
  resolvePaths: ({ file }, resolve) => ({ file: resolve(file) }),
  async evaluate({ file }, trial, context) {
    const call = readDirectCall(trial, type);
    if (!call.success) return call;
    const { error, result } = call.data;
    if (error !== undefined) {
      return success({ pass: false, score: 0, message: `The server did not list anything: ${error.message}` });
    }
    const listed = entriesOf(result);
    if (listed === null || !call.data.tool.endsWith("/list")) {
      return evalError(type, `"${type}" needs a target that lists something, such as { mcp: files, list: tools }`);
    }
    if (context.writeSnapshot !== undefined) return update(file, listed, context.writeSnapshot);
    const stored = await readSnapshot(file);
    return stored.success ? success(decide(stored.data, listed)) : stored;
  },
});

async function update(
  file: string,
  listed: ListedEntries,
  write: NonNullable<AssertionContext["writeSnapshot"]>,
): Promise<Result<AssertionOutcome>> {
  const entries = [...listed.keys()].toSorted().map((name) => parseOwnJson(canonicalJson(listed.get(name))));
  const written = await write(file, `${JSON.stringify({ entries }, null, 2)}\n`);
  if (!written.success) return written;
  return success({ pass: true, score: 1, message: `Wrote ${plural(entries.length, "item")} to ${file}` });
}

async function readSnapshot(file: string): Promise<Result<ListedEntries>> {
  const read = await attempt(
    () => readText(file, mostBytes),
    (cause) => kindlmError("ASSERTION_EVAL_ERROR", messageOf(cause), { details: { type }, cause }),
  );
  if (!read.success) {
    const { cause } = read.error;
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const what = isMissing ? "does not exist" : `cannot be read: ${read.error.message}`;
    return evalError(type, `The snapshot ${file} ${what}. ${howToWrite}`, cause);
  }
  const parsed = parseJson(read.data);
  const entries = parsed.success ? entriesOf(parsed.data) : null;
  if (entries !== null) return success(entries);
  return failure(
    kindlmError("ASSERTION_EVAL_ERROR", `The snapshot ${file} is not a list in JSON. ${howToWrite}`, {
      details: { type },
    }),
  );
}

function decide(stored: ListedEntries, listed: ListedEntries): AssertionOutcome {
  const drifts = compareLists(stored, listed);
  if (drifts.length === 0) {
    return { pass: true, score: 1, message: `The list of ${plural(listed.size, "item")} is unchanged` };
  }
  const more = drifts.length > shown ? `; and ${drifts.length - shown} more` : "";
  const lines = drifts.slice(0, shown).map(({ line }) => line);
  const changed = new Set(drifts.map(({ name }) => name));
  const partOf = (entries: ListedEntries): Record<string, unknown> =>
    Object.fromEntries([...entries].filter(([name]) => changed.has(name)));
  return {
    pass: false,
    score: 0,
    message: `Expected the list to equal the snapshot, but ${plural(changed.size, "item")} ${changed.size === 1 ? "differs" : "differ"}: ${lines.join("; ")}${more}`,
    expected: partOf(stored),
    actual: partOf(listed),
  };
}
