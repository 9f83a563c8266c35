import { describe, expect, it } from "vitest";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";

const answer = '{"order":{"status":"delivered","items":[{"price":9.5}]},"a.b":1,"__proto__":{"x":1}}';
const fenced = `\`\`\`json\n${answer}\n\`\`\`\n`;

async function judge(config: Record<string, unknown>, output: string) {
  const result = await evaluateWritten({ type: "json", ...config }, { output });
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

describe("json", () => {
  it.each([
    [{}, answer],
    [{}, fenced],
    [{}, " null "],
    [{ strict: true }, answer],
    [{ value: { order: { status: "delivered" } } }, fenced],
    [{ path: "order.items[0].price", value: { $gt: 9 } }, answer],
    [{ path: "order.items.0.price", value: { $absent: true } }, answer],
    [{ path: "$.order.status", value: "delivered" }, answer],
    [{ path: '["a.b"]', value: 1 }, answer],
    [{ path: "order.none", value: { $absent: true } }, answer],
    [{ path: "__proto__.x", value: 1 }, answer],
    [{ path: "constructor", value: { $absent: true } }, answer],
    [{ value: null }, "null"],
    [{}, "~~~\n[1]\n~~~"],
    [{}, "````\n[1]\n````"],
  ])("passes %j on %s", async (config, output) => {
    expect(await judge(config, output)).toMatchObject({ pass: true, score: 1 });
  });

  it.each([
    [{}, "", "Expected the answer to be JSON, but it is empty"],
    [{ strict: true }, fenced, "Expected the answer to be JSON, but it is in a code fence, which `strict` forbids"],
    [{}, 'Here it is: {"a": 1}', 'but there is text around it: "Here it is: {\\"a\\": 1}"'],
    [{}, "```json\n{}\n```\nAnything else?", "but there is text around it"],
    [{}, "{a: 1}", "but it does not parse ("],
    [{ path: "order.none" }, answer, "Expected the answer to have order.none, but it is {order:"],
    [{ path: "order", value: { status: "sent" } }, answer, 'but order.status is "delivered"'],
    [{ value: { order: { items: [{ price: 1 }] } } }, answer, "but order.items[0].price is 9.5"],
    [{ path: "order.items", value: [{ price: 1 }] }, answer, "but order.items[0].price is 9.5"],
    [{ path: "order.none", value: 1 }, answer, "Expected order.none to match 1, but order.none is nothing"],
    [{ value: [2] }, "[1]", "Expected the answer to match [2], but [0] is 1"],
  ])("fails %j on %j", async (config, output, words) => {
    const result = await judge(config, output);
    expect(result).toMatchObject({ pass: false, score: 0 });
    expect(result.message).toContain(words);
  });

  it.each(["a..b", "a[", "[x]", "a]b"])("refuses the path %s", async (path) => {
    expect(await evaluateWritten({ type: "json", path }, { output: "" })).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message: `"${path}" is not a path` },
    });
  });
});
