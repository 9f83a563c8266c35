import { isRecord, plural } from "@kindlm/core/program";
import { withoutValues, type Describe, type FailureWords, type Wording } from "./failure-words.js";

/** Words for what an MCP server answered, and for where a request led. */
export const mcpWords: Readonly<Record<string, Describe>> = {
  routes_to({ expected, actual, message }, wording) {
    if (!isRecord(expected) || !isRecord(actual)) return null;
    const [wanted, called] = [toolIn(expected, wording), toolIn(actual, wording)];
    const reason = `${called} called, expected ${wanted}`;
    if (wanted === called) return sayDifference(message, wording);
    return { title: `The request leads to ${called}, not to ${wanted}`, sort: `${called} ${wanted}`, reason };
  },

  mcp_result: ({ message }, wording) => sayDifference(message, wording),
  mcp_error: ({ message }, wording) => sayDifference(message, wording),
  mcp_progress: ({ message }, wording) => sayDifference(message, wording),

  mcp_snapshot({ message }, wording) {
    const [, count, listed] = /, but (\d+ items?) differs?: (.*)$/s.exec(message) ?? [];
    if (count === undefined || listed === undefined) return null;
    const note = wording.text(listed);
    const title = "The lists of the server differ from the snapshot";
    return { title, note, columns: { items: count }, reason: `changed since the snapshot: ${count}` };
  },

  mcp_lint({ actual, message }, wording) {
    if (!Array.isArray(actual)) return null;
    const count = plural(actual.length, "problem");
    const note = wording.text(message.replace(/^Found \d+ problems?: /, ""));
    return {
      title: "The tools of the server have problems",
      note,
      columns: { problems: count },
      reason: `${count} found`,
    };
  },
};

const toolIn = ({ tool }: Readonly<Record<string, unknown>>, wording: Wording): string =>
  tool === "none" ? "no tool" : wording.text(tool);

/** `Expected a to do b, but c` as `c`, with what was expected below. */
function sayDifference(message: string, wording: Wording): FailureWords | null {
  const [, wanted, found] = /^Expected (.+?), but (.+)$/s.exec(message) ?? [];
  if (wanted === undefined || found === undefined) return null;
  const reason = wording.text(`${found}, expected ${wanted}`);
  const title = wording.text(message);
  return { title, sort: withoutValues(message), reason };
}
