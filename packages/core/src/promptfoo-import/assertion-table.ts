import { isRecord } from "../values/json.js";
import type { AssertionSource, ConvertedAssertion } from "./assertion-source.js";
import { numberOf, stringOf } from "./source/source-node.js";

type Converter = (source: AssertionSource) => ConvertedAssertion;

const milliseconds = (ms: number): string => (ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`);

/** Leaves out what is not set. */
function given(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}

const contains = (value: unknown, ignoresCase: boolean) => ({
  type: "contains",
  value,
  ...(ignoresCase ? { ignore_case: true } : {}),
});
const containsAny =
  (ignoresCase: boolean): Converter =>
  (source) => ({ any_of: source.texts().map((text) => contains(text, ignoresCase)) });

const judge =
  (criteria: (text: string) => string): Converter =>
  (source) => {
    const said = criteria(source.text());
    if (said.trim() === "") return { missing: "it has no criteria" };
    return given({ type: "judge", criteria: said, threshold: source.number("threshold") });
  };

const similar =
  (method: string): Converter =>
  (source) => {
    const reference = source.text();
    if (reference.trim() === "") return { missing: "it has no reference" };
    return given({ type: "similar", reference, method, threshold: source.number("threshold") });
  };

const json: Converter = (source) => {
  const schema = source.value?.value;
  if (isRecord(schema)) return { type: "schema", schema };
  const file = typeof schema === "string" && schema.startsWith("file://") ? schema.slice("file://".length) : null;
  if (file !== null) return { type: "schema", schema_file: file };
  return { type: "json" };
};

const javascript: Converter = ({ node, checks, variables }) => {
  const code = stringOf(node.get("value"))?.trim() ?? "";
  if (code === "") return { missing: "it has no code" };
  const module = checks.add(code, numberOf(node.get("threshold")));
  const needsVars = /\bcontext\b|\bvars\b/.test(code) || code.startsWith("file://");
  const vars = Object.fromEntries(variables.map((name) => [name, `{{${name}}}`]));
  return { type: "module", module, ...(needsVars && variables.length > 0 ? { with: vars } : {}) };
};

const missing =
  (reason: string): Converter =>
  () => ({ missing: reason });
const ofContext = missing(
  "it compares the answer with a retrieved context: use judge with the context in its criteria",
);
const ofTraces = missing("it counts spans: with traces, assert tool_called, max_tool_calls or latency");
const ofMedia = missing("KindLM does not evaluate audio and video");
const ofModeration = missing("it asks a moderation service: use judge, keywords_absent or a module");

/** The counterpart of each type of promptfoo, without its prefix `not-`. A new one is a line. */
export const assertionTable: Readonly<Record<string, Converter>> = {
  equals: (source) =>
    isRecord(source.value?.value)
      ? { type: "json", value: source.value.value }
      : { type: "equals", value: source.text() },
  contains: (source) => contains(source.text(), false),
  icontains: (source) => contains(source.text(), true),
  "contains-all": (source) => contains(source.texts(), false),
  "icontains-all": (source) => contains(source.texts(), true),
  "contains-any": containsAny(false),
  "icontains-any": containsAny(true),
  "starts-with": (source) => ({ type: "starts_with", value: source.text() }),
  regex: (source) => {
    // Flags inside of the expression are those of Python, which JavaScript does not know.
    const [, flags = "", value = ""] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(source.text()) ?? [];
    return { type: "matches", value, ...(flags === "" ? {} : { flags }) };
  },
  "is-json": json,
  "contains-json": json,
  "llm-rubric": judge((text) => text),
  "g-eval": judge((text) => text),
  "model-graded-closedqa": judge((text) => `Meets this criterion: ${text}`),
  "model-graded-factuality": judge((text) => `Agrees with these facts and contradicts none: ${text}`),
  factuality: judge((text) => `Agrees with these facts and contradicts none: ${text}`),
  "answer-relevance": judge(() => "Answers the question that was asked, and nothing else"),
  similar: similar("embedding"),
  levenshtein: (source) => {
    source.todo("promptfoo counts edits and KindLM measures similarity from 0 to 1: choose a threshold");
    return { type: "similar", reference: source.text(), method: "levenshtein" };
  },
  "rouge-n": similar("rouge_l"),
  "is-refusal": () => ({ type: "refuses" }),
  cost: (source) => ({ type: "cost", max: source.number("threshold") ?? 0 }),
  latency: (source) => ({ type: "latency", max: milliseconds(source.number("threshold") ?? 0) }),
  "finish-reason": (source) => ({ type: "finish_reason", value: source.text() }),
  "word-count": (source) => {
    const range = isRecord(source.value?.value)
      ? source.value.value
      : { min: source.value?.value, max: source.value?.value };
    return given({ type: "length", min: range["min"], max: range["max"], unit: "words" });
  },
  "tool-call-f1": (source) => ({
    type: "tool_calls",
    mode: "unordered",
    calls: source.texts().map((tool) => ({ tool })),
  }),
  "is-valid-openai-tools-call": missing(
    "KindLM checks arguments by tool: use tool_args_schema with the name of the tool",
  ),
  "is-valid-openai-function-call": missing(
    "KindLM checks arguments by tool: use tool_args_schema with the name of the tool",
  ),
  "is-valid-function-call": missing("KindLM checks arguments by tool: use tool_args_schema with the name of the tool"),
  "skill-used": (source) => ({ type: "loads_skill", skill: source.text() }),
  javascript,
  python: missing("Python is not converted: call it with a command assertion"),
  ruby: missing("Ruby is not converted: call it with a command assertion"),
  webhook: missing("call the service from a module assertion"),
  bleu: missing("use similar with method rouge_l, or a module"),
  gleu: missing("use similar with method rouge_l, or a module"),
  meteor: missing("use similar with method rouge_l, or a module"),
  perplexity: missing("KindLM reads no log probabilities"),
  "perplexity-score": missing("KindLM reads no log probabilities"),
  classifier: missing("it needs a classification model: use judge"),
  "select-best": missing("it compares answers of several prompts: use arms or a baseline"),
  "max-score": missing("it compares answers of several prompts: use arms or a baseline"),
  "search-rubric": missing("it searches the web: use judge"),
  "is-sql": missing("use a module with a parser for SQL"),
  "contains-sql": missing("use a module with a parser for SQL"),
  "is-xml": missing("use a module with a parser for XML"),
  "contains-xml": missing("use a module with a parser for XML"),
  "is-html": missing("use a module with a parser for HTML"),
  "contains-html": missing("use a module with a parser for HTML"),
  "context-faithfulness": ofContext,
  "context-recall": ofContext,
  "context-relevance": ofContext,
  "conversation-relevance": missing("use judge, which sees the whole conversation"),
  "trace-span-count": ofTraces,
  "trace-span-duration": ofTraces,
  "trace-error-spans": ofTraces,
  "trajectory:tool-used": (source) => ({ type: "tool_called", tool: source.text() }),
  "trajectory:tool-sequence": (source) => ({ type: "tool_order", tools: source.texts() }),
  "trajectory:goal-success": judge((text) => `Reaches this goal: ${text}`),
  pi: missing("it asks a scoring service: use judge"),
  moderation: ofModeration,
  guardrails: ofModeration,
  "is-valid-video": ofMedia,
  human: missing("label trials in the HTML report"),
};
