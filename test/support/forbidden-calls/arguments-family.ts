import { simulatedTool } from "../../../packages/core/src/__fixtures__/simulated-tool.js";
import type { AdapterRow } from "../adapters/adapter-row.js";
import { createAdapterFamily, type AdapterFamily } from "./adapter-family.js";
import type { Dice } from "./dice.js";
import { holderOf, isObject, placesIn } from "./find-places.js";
import { harmless, planted } from "./planted-call.js";
import { copyOf } from "./wire.js";

/** Everything in it takes time, or goes in circles, if it is looked at carelessly. */
const parameters = {
  type: "object",
  properties: {
    account_id: { type: "string", pattern: "^(a+)+$" },
    because: { type: "string", minLength: 1 },
    list: { type: "array", uniqueItems: true },
    nested: { $ref: "#" },
  },
};
const tools = [planted, harmless].map(({ tool }) =>
  simulatedTool({ name: tool, parameters, default: { return: "{{args}}" } }),
);

const nested = (levels: number, dice: Dice): string => {
  const [open, close] = dice.pick([
    ["[", "]"],
    ['{"nested":', "}"],
    ['{"a":[', "]}"],
  ] as const);
  return open.repeat(levels) + "1" + close.repeat(levels);
};

/** Arguments as models, and those who talk them into it, may write them. */
const texts: readonly ((dice: Dice) => string)[] = [
  (dice) => nested(dice.pick([3, 60, 199, 200, 201, 500, 2_000]), dice),
  (dice) => `{"account_id":"${"a".repeat(dice.int(12))}!"}`,
  (dice) =>
    `{"list":[${Array.from({ length: dice.pick([2, 20, 200]) }, (_, index) => `{"a":${index % 150}}`).join(",")}]}`,
  () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toJSON":1,"then":1}',
  () => '{"account_id":1e400,"because":-0,"n":12345678901234567890,"m":0.1e-400}',
  () => '{"account_id":"\\ud800","because":"\\u0000\\u202e\\ufeff"}',
  () => '{"account_id":"ACC-7","account_id":"ACC-8"}',
  () => "{'account_id': 'ACC-7'}",
  () => '{"account_id":"ACC-7",}',
  () => '/* all */ {"account_id":"ACC-7"}',
  () => '```json\n{"account_id":"ACC-7"}\n```',
  () => '\uFEFF{"account_id":"ACC-7"}',
  () => '{"account_id":NaN}',
  () => "undefined",
  () => " \n ",
  () => '"{\\"account_id\\":\\"ACC-7\\"}"',
  () => '[{"account_id":"ACC-7"}]',
  () => '{"tool_calls":[{"name":"lookup_order","arguments":{}}]}',
  (dice) => JSON.stringify(planted.args).slice(0, dice.int(30)),
  (dice) => JSON.stringify({ because: String.fromCodePoint(dice.int(0xd7ff)).repeat(dice.int(400)) }),
  (dice) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: dice.int(300) }, (_, index) => [`k${index}`, index]))),
];
/** Seldom, since each of them takes milliseconds. */
const rareTexts: readonly ((dice: Dice) => string)[] = [
  (dice) => nested(dice.pick([5_000, 50_000]), dice),
  () => `{"because":"${"x".repeat(1_000_000)}"}`,
  () => `{"list":[${Array.from({ length: 3_000 }, (_, index) => `{"a":${index}}`).join(",")}]}`,
  (dice) => `{"account_id":"${"a".repeat(dice.pick([40, 50_000]))}!"}`,
];

function drawArguments(dice: Dice): string {
  return dice.pick(dice.chance(0.01) ? rareTexts : texts)(dice);
}

/** Replies whose planted call has arguments of all kinds; as text or as what the text says, as the provider writes them. */
export function createArgumentsFamily(row: AdapterRow): AdapterFamily {
  const family = createAdapterFamily(row, async () => ({ tools, release: () => {} }));
  return {
    name: `arguments of ${row.name}`,
    mayBeUnreadable: true,
    replyOf(answer, _isStream, dice) {
      const wire = copyOf(family.replyOf(answer, false, dice));
      const text = drawArguments(dice);
      for (const place of placesIn(wire.messages)) {
        const holder = holderOf(place);
        const key = ["arguments", "input", "args"].find((one) => Object.hasOwn(holder, one));
        if (!isObject(holder) || key === undefined) continue;
        holder[key] = typeof holder[key] === "string" ? text : valueOf(text);
      }
      return wire;
    },
    judge: (chunks) => family.judge(chunks, false),
  };
}

/** Deeper than that, the fuzz could not copy and write the reply with the stack that Node.js has. */
const mostLevels = 1_500;

/** Deeper than what can be written again it stays text, as no program would have written it. */
function valueOf(text: string): unknown {
  if ((text.match(/[[{]/g)?.length ?? 0) > mostLevels) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
