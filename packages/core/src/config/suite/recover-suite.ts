import { isRecord } from "../../values/json.js";
import { nearestName } from "../../values/nearest-name.js";
import { suiteSchema, type WrittenSuite } from "../schema/suite-schema.js";
import type { Problem } from "../source/section.js";

/** What is well-formed of a suite that as a whole is not. */
export interface RecoveredSuite {
  suite: WrittenSuite;
  /** The position of each of its tests in the suite as written. */
  places: readonly number[];
}

/** Without these, other checks would report false mistakes, such as a missing tool. */
const neededKeys = {
  suite: ["name", "tests", "tools", "mcp_servers", "models", "target", "vars", "assert", "runs", "pass"],
  test: "name input messages conversation retry_until simulated_user dataset rows mcp_servers models target vars assert runs pass".split(
    " ",
  ),
};

/**
 * Leaves out what is wrong in form, so that the rest can still be checked and all problems come at once: a key that no
 * other check needs, else the whole test. Null where nothing of use is left.
 */
export function recoverSuite(value: unknown, problems: readonly Problem[]): RecoveredSuite | null {
  if (!isRecord(value) || !Array.isArray(value["tests"])) return null;
  const ofTests = problems.filter(({ path }) => path[0] === "tests" && typeof path[1] === "number");
  const rest = withoutKeys(
    value,
    problems.filter((problem) => !ofTests.includes(problem)).map((problem) => wrongKey(problem, 0)),
    neededKeys.suite,
  );
  if (rest === null) return null;
  const written: readonly unknown[] = value["tests"];
  const kept = written.flatMap((test, place) => {
    const wrong = ofTests.filter(({ path }) => path[1] === place).map((problem) => wrongKey(problem, 2));
    const recovered = isRecord(test) ? withoutKeys(test, wrong, neededKeys.test) : null;
    return recovered === null ? [] : [{ test: recovered, place }];
  });
  const parsed = suiteSchema.safeParse({ ...rest, tests: kept.map(({ test }) => test) });
  return parsed.success ? { suite: parsed.data, places: kept.map(({ place }) => place) } : null;
}

interface WrongKey {
  key: string | number | undefined;
  isUnknown: boolean;
}

function wrongKey({ path, atKey }: Problem, depth: number): WrongKey {
  return { key: path[depth], isUnknown: atKey === true && path.length === depth + 1 };
}

/** Null when one of the keys is needed, or was meant to be one that is. */
function withoutKeys(
  value: Readonly<Record<string, unknown>>,
  wrong: readonly WrongKey[],
  needed: readonly string[],
): Readonly<Record<string, unknown>> | null {
  const missing = needed.filter((key) => !Object.hasOwn(value, key));
  const isNeeded = ({ key, isUnknown }: WrongKey): boolean =>
    typeof key !== "string" || (isUnknown ? nearestName(key, missing) !== null : needed.includes(key));
  if (wrong.some(isNeeded)) return null;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.some((one) => one.key === key)));
}
