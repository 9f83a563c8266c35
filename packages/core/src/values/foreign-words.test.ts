import { describe, expect, it } from "vitest";
import { assertionTypes } from "../assertions/registry.js";
import { configForms } from "../config/config-forms.js";
import { operators } from "../matchers/registry.js";
import { knownProviderNames } from "../providers/registry.js";
import { isRecord } from "../values/json.js";
import { foreignWords, ourWord } from "./foreign-words.js";

const { definitions, ...config } = configForms();
const suite = isRecord(definitions) ? definitions["suite"] : undefined;
const places: Readonly<Record<string, unknown>> = {
  config,
  suite,
  test: itemsAt(suite, "tests"),
  model: itemsAt(config, "models"),
};

function itemsAt(node: unknown, key: string): unknown {
  const list = at(node, ["properties", key]);
  return at(list, ["items"]);
}

function at(node: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, step) => (isRecord(value) ? value[step] : undefined), node);
}

/** The schema of `a.b`, `a[].b` or `a.<name>.b`. */
function resolve(node: unknown, target: string): unknown {
  return target.split(".").reduce((value: unknown, step) => {
    if (step === "<name>") return at(value, ["additionalProperties"]);
    const next = at(value, ["properties", step.replace("[]", "")]);
    if (!step.endsWith("[]")) return next;
    return step === "suites[]" ? suite : at(next, ["items"]);
  }, node);
}

describe("words of other tools", () => {
  const ofConfig = ["config", "suite", "test", "model"] as const;

  it.each(Object.entries(foreignWords.assertion))("assertion %s is %s", (word, ours) => {
    expect(assertionTypes).toContain(ours);
    expect(assertionTypes).not.toContain(word);
  });

  it("name an operator or a provider that exists, and none that is one itself", () => {
    for (const [word, ours] of Object.entries(foreignWords.operator)) {
      expect(Object.keys(operators), word).toContain(ours);
      expect(Object.keys(operators)).not.toContain(word);
    }
    for (const [word, ours] of Object.entries(foreignWords.provider)) {
      expect(knownProviderNames, word).toContain(ours);
      expect(knownProviderNames).not.toContain(word);
    }
  });

  it.each(
    ofConfig.flatMap((kind) => Object.entries(foreignWords[kind]).map(([word, ours]) => [kind, word, ours] as const)),
  )("%s: %s is %s", (kind, word, ours) => {
    const node = ours.startsWith("providers.") ? config : places[kind];
    expect(resolve(node, ours), ours).toBeDefined();
    expect(at(places[kind], ["properties", word])).toBeUndefined();
  });

  it.each([
    ["llm-rubric", "judge"],
    ["AnswerRelevancyMetric", "judge"],
    ["model_graded_qa", "judge"],
    ["Exact", "equals"],
    ["constructor", null],
    ["contains", null],
  ])("%s is %s, however it is written", (word, ours) => {
    expect(ourWord("assertion", word)).toBe(ours);
  });
});
