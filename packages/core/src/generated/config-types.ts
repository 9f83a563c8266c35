/**
 * The types of a config that is written as an object. Generated from the config schema; run `pnpm gen` to update.
 */

/** Any value that a YAML or JSON file can hold. */
export type ConfigValue =
  string | number | boolean | null | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** Text that is one `{{placeholder}}`, which takes the type of the value it is replaced with. */
export type Placeholder = `{{${string}}}`;

/**
 * The assertion types that your extensions register, by their names, each with its options. Add yours:
 * `declare module "@kindlm/core" { interface RegisteredAssertions { is_polite: { language: "en" | "de" } } }`
 */
export interface RegisteredAssertions {}

/** The providers that your extensions register, as {@link RegisteredAssertions} has the assertions. */
export interface RegisteredProviders {}

/** The kinds of targets that your extensions register, as {@link RegisteredAssertions} has the assertions. */
export interface RegisteredTargets {}

type RegisteredAssertion<Placeholder> = {
  [Type in keyof RegisteredAssertions]: AssertionKeys & { readonly type: Type } & {
    readonly [Key in keyof RegisteredAssertions[Type]]: RegisteredAssertions[Type][Key] | Placeholder;
  };
}[keyof RegisteredAssertions];

type WithRegisteredProviders<Builtin> = Builtin | {
  [Type in keyof RegisteredProviders]: { readonly type: Type } & RegisteredProviders[Type] &
    Omit<Builtin, "type" | keyof RegisteredProviders[Type]>;
}[keyof RegisteredProviders];

type RegisteredTarget = {
  [Type in keyof RegisteredTargets]: { readonly [Key in Type]: RegisteredTargets[Type] } & {
    readonly id?: string;
    readonly proxy?: boolean | { readonly run_tools: boolean };
  };
}[keyof RegisteredTargets];

/** The keys of every assertion and group. */
interface AssertionKeys {
  /** True to pass exactly when the check itself does not. */
  readonly not?: boolean;
  /** Your name for the assertion, shown in results. */
  readonly id?: string;
  /** Share in the weighted mean that `threshold` of the test is compared with. Default 1. */
  readonly weight?: number;
  /** Evaluate only if the trial matches: output, tool_calls, turns, latency_ms, cost_usd, finish_reason, usage, fault, stopped_by. */
  readonly when?: MatcherConfig;
  /** Look at this user turn of the conversation, from 1, instead of the whole trial. */
  readonly user_turn?: number;
}

interface AttributesConfig {
  /** The tool changes nothing */
  readonly readonly?: boolean;
  /** The tool may run in parallel with others, and may be run again */
  readonly no_effect?: boolean;
}

interface ErrorConfig {
  /** Type of the tool error that the model receives; it also decides whether the error is retryable */
  readonly type?: "validation" | "runtime" | "logical" | "aborted" | "exception";
  /** What went wrong, as the model reads it */
  readonly message: string;
  /** Overrides what follows from the type, such as false for a payment */
  readonly retryable?: boolean;
  /** Advice for the model, put into the error */
  readonly recommendations?: readonly string[];
}

interface SequenceConfig {
  /** What the tool returns: any value; strings may hold {{args.x}} */
  readonly return?: unknown;
  /** Fails the call with this error */
  readonly error?: ErrorConfig;
  /** Never answers: the deadline of the tool ends the call as aborted */
  readonly hang?: true;
  /** How long the tool takes, such as 2s */
  readonly delay?: string | 0;
  /** Changes the state of the trial, path by path, before the answer is given */
  readonly set?: { readonly [key: string]: unknown };
}

interface ResponseConfig {
  /** Matcher that the arguments must satisfy; left out, it matches always */
  readonly when?: MatcherConfig;
  /** Matchers that the state of the trial must satisfy, by path; left out, it matches always */
  readonly state?: { readonly [key: string]: MatcherConfig };
  /** How often this response may be used. Default: unlimited */
  readonly times?: number;
  /** Used for the n-th call of the tool only, counting from 1 */
  readonly call?: number;
  /** What the tool returns: any value; strings may hold {{args.x}} */
  readonly return?: unknown;
  /** Fails the call with this error */
  readonly error?: ErrorConfig;
  /** Never answers: the deadline of the tool ends the call as aborted */
  readonly hang?: true;
  /** How long the tool takes, such as 2s */
  readonly delay?: string | 0;
  /** Changes the state of the trial, path by path, before the answer is given */
  readonly set?: { readonly [key: string]: unknown };
  /** Answers used one after the other; the last one goes on answering, unless `times` ends it */
  readonly sequence?: readonly SequenceConfig[];
}

interface DefaultConfig {
  /** What the tool returns: any value; strings may hold {{args.x}} */
  readonly return?: unknown;
  /** Fails the call with this error */
  readonly error?: ErrorConfig;
  /** Never answers: the deadline of the tool ends the call as aborted */
  readonly hang?: true;
  /** How long the tool takes, such as 2s */
  readonly delay?: string | 0;
  /** Changes the state of the trial, path by path, before the answer is given */
  readonly set?: { readonly [key: string]: unknown };
  /** Answers used one after the other; the last one goes on answering, unless `times` ends it */
  readonly sequence?: readonly SequenceConfig[];
}

interface FallbackConfig {
  /** The types of errors that it answers in place of; default is runtime and aborted: the tool is down */
  readonly on?: readonly ("runtime" | "aborted" | "logical" | "exception")[];
  /** What is returned instead: any value; strings may hold {{args.x}} */
  readonly return?: unknown;
  /** The error that the model receives instead */
  readonly error?: ErrorConfig;
  /** Answers tried in order, as those of a simulated tool; where none fits, the error stands */
  readonly responses?: readonly ResponseConfig[];
  /** The answer when no response matches */
  readonly default?: DefaultConfig;
  /** What the tool returned last in this run for the same arguments; the other keys answer where it never did */
  readonly last_value?: true;
}

interface ToolConfig {
  /** Name of the tool, as the model calls it; a tool of a module may have its own */
  readonly name?: string;
  /** What the tool does, as the model reads it */
  readonly description?: string;
  /** Instructions for using the tool, which follow its description as the model reads it */
  readonly prompt?: string;
  /** Arguments: names with types, such as order_id: string, or a JSON Schema; calls that break it are rejected */
  readonly parameters?: { readonly [key: string]: unknown };
  /** JSON Schema of what a successful call returns; an answer in the config that breaks it is a fixture error, one of a real tool a runtime error */
  readonly result_schema?: unknown;
  /** What may be done with the tool without harm */
  readonly attributes?: AttributesConfig;
  /** Advice put into this tool's errors */
  readonly recommendations?: readonly string[] | { readonly [key: string]: readonly string[] };
  /** How long a call may take; default is timeouts.tool */
  readonly timeout?: string | 0;
  /** What answers when the real tool is down; a simulated tool has none */
  readonly fallback?: FallbackConfig;
  /** Answers tried in order; the first that matches the arguments is used */
  readonly responses?: readonly ResponseConfig[];
  /** The answer when no response matches */
  readonly default?: DefaultConfig;
  /** File and export of your tool or list of tools, such as ./tools.ts#lookup; without # its default export */
  readonly module?: string;
  /** Program and arguments, without a shell; it gets the arguments as JSON on stdin and prints its result */
  readonly command?: readonly [string, ...string[]];
  /** Folder in which the program runs; default is that of the config file */
  readonly cwd?: string;
  /** Environment variables added for the program; ${NAME} reads one that is set */
  readonly env?: { readonly [key: string]: string };
  /** Address of the service; may hold {{args.x}}, which are escaped, and ${NAME} of the environment */
  readonly url?: string;
  /** Default is POST */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Headers of the request; ${NAME} reads the environment */
  readonly headers?: { readonly [key: string]: string };
  /** Body of the request: a string, or a value that is sent as JSON. Default: the arguments, none for GET */
  readonly body?: unknown;
  /** Where in the reply's JSON the result stands; default is the whole reply */
  readonly response_path?: string;
  /** A tool that KindLM brings, several, or a glob of their names */
  readonly builtin?: string | readonly string[];
}

interface SubagentsConfig {
  /** How many levels of sub-agents there may be below it */
  readonly depth?: number;
  /** IDs of the templates that it may choose from; all if left out */
  readonly templates?: readonly string[];
}

interface TextContentConfig {
  /** Text of the message */
  readonly type: "text";
  /** The text; may hold {{placeholders}} */
  readonly text: string;
}

interface ImageContentConfig {
  /** An image for the model to look at */
  readonly type: "image";
  /** Address of the image, fetched by the provider */
  readonly url?: string;
  /** Path of a png, jpeg, gif or webp file, sent with the request */
  readonly file?: string;
}

interface UserMessageConfig {
  /** Who speaks */
  readonly role: "user";
  /** A string, or a list of text and images */
  readonly content: string | readonly (TextContentConfig | ImageContentConfig)[];
}

interface ToolCallConfig {
  /** Joins the call with its result; made up when left out */
  readonly id?: string;
  /** Name of the tool that was called */
  readonly tool: string;
  /** Arguments of the call */
  readonly args?: { readonly [key: string]: unknown };
}

interface AssistantMessageConfig {
  /** Who speaks */
  readonly role: "assistant";
  /** What the model answered */
  readonly content?: string;
  /** Tools that the model called; each needs a message of role tool after it */
  readonly tool_calls?: readonly ToolCallConfig[];
}

interface ToolMessageConfig {
  /** Who speaks */
  readonly role: "tool";
  /** The call that is answered; the next open one when left out */
  readonly call_id?: string;
  /** The tool's result: a string, or a value that is sent as JSON */
  readonly content: unknown;
  /** Whether the tool failed */
  readonly is_error?: boolean;
}

interface RetryUntilConfig {
  /** What the answer must fulfil to be approved; looks at the answered user turn alone */
  readonly assert: readonly AssertionConfig<Placeholder>[];
  /** The condition in words for the agent, available in the feedback as {{description}} */
  readonly description?: string;
  /** How often the user turn may be answered in all, the first answer included. Default: 3 */
  readonly max_tries?: number;
  /** What is added to the user's message after a rejected answer; may hold {{reason}}, {{description}}, {{try}} */
  readonly feedback?: string;
  /** If all of these hold for a rejected answer, it cannot be fixed and no further try is made */
  readonly stop_when?: readonly AssertionConfig<Placeholder>[];
  /** Whether a user turn that is never approved fails the trial (true), or its last answer stands. Default: false */
  readonly strict?: boolean;
}

interface RunsConfig {
  /** Trials that every case has */
  readonly min: number;
  /** Trials that a case may have while the comparison with the baseline is inconclusive */
  readonly max: number;
}

interface LimitsConfig {
  /** Requests to the model per user message. Default: 10 */
  readonly max_turns?: number;
  /** Tool calls per trial. Default: 50 */
  readonly max_tool_calls?: number;
  /** US dollars that one trial may cost. Default: no limit */
  readonly max_trial_cost?: number;
}

interface TimeoutsConfig {
  /** Until the connection to a provider stands. Default: 10s */
  readonly connect?: string | 0;
  /** Until the first byte of a reply. Default: 60s */
  readonly headers?: string | 0;
  /** The longest pause within a reply. Default: 30s */
  readonly idle?: string | 0;
  /** One request to a provider, start to end. Default: 60s */
  readonly request?: string | 0;
  /** One call of a tool. Default: 60s */
  readonly tool?: string | 0;
  /** One trial, all its requests and tool calls. Default: 5m */
  readonly trial?: string | 0;
}

interface FallbackConfig2 {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool: string;
  /** The types of errors that it answers in place of; default is runtime and aborted: the tool is down */
  readonly on?: readonly ("runtime" | "aborted" | "logical" | "exception")[];
  /** What is returned instead: any value; strings may hold {{args.x}} */
  readonly return?: unknown;
  /** The error that the model receives instead */
  readonly error?: ErrorConfig;
  /** Answers tried in order, as those of a simulated tool; where none fits, the error stands */
  readonly responses?: readonly ResponseConfig[];
  /** The answer when no response matches */
  readonly default?: DefaultConfig;
  /** What the tool returned last in this run for the same arguments; the other keys answer where it never did */
  readonly last_value?: true;
}

interface McpServerConfig {
  /** Name of the server, in messages */
  readonly name: string;
  /** Starts a server that speaks over stdin and stdout: program and arguments, without a shell */
  readonly command?: readonly [string, ...string[]];
  /** Folder in which the server runs; default is that of the config file */
  readonly cwd?: string;
  /** Environment variables added for the program; ${NAME} reads one that is set */
  readonly env?: { readonly [key: string]: string };
  /** Address of a server that speaks streamable HTTP; ${NAME} reads the environment */
  readonly url?: string;
  /** Headers of every request to it; ${NAME} reads the environment */
  readonly headers?: { readonly [key: string]: string };
  /** Names of the tools to take; * and ? stand for any text and any character. Default: all */
  readonly include?: readonly string[];
  /** Names of tools to leave out, also of those that `include` takes */
  readonly exclude?: readonly string[];
  /** How long one server lives: each trial starts its own (default), or the run has one for all trials */
  readonly per?: "trial" | "run";
  /** How long a call of its tools may take; default is timeouts.tool */
  readonly timeout?: string | 0;
  /** What answers when its tools are down; the first entry whose name or glob fits the tool counts */
  readonly fallback?: readonly FallbackConfig2[];
}

interface OnToolErrorConfig {
  /** The message that the agent receives if it answers although a retryable call failed: a string that may contain {{tool}}, {{error}}, {{error_type}} and {{recommendations}}, or true for KindLM's message */
  readonly nudge: true | string;
  /** The most nudges in one trial (3) */
  readonly max?: number;
}

interface ErrorFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The tool is not run, or the model not called; an error comes back */
  readonly kind: "error";
  /** The error; a runtime error that says `service unavailable` if left out */
  readonly error?: ErrorConfig;
  /** HTTP status of the model's error. Default: 503 */
  readonly status?: number;
  /** When the model wants to be called again */
  readonly retry_after?: string | 0;
}

interface LatencyFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The tool or the model takes longer */
  readonly kind: "latency";
  /** How much longer */
  readonly delay: string | 0;
}

interface HangFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The tool or the model never answers, until the deadline */
  readonly kind: "hang";
}

interface TruncateFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The answer is cut */
  readonly kind: "truncate";
  /** Characters of the answer that are left; half of them if left out */
  readonly keep?: number;
}

interface DropFieldsFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** Fields of the answer are missing */
  readonly kind: "drop_fields";
  /** Paths of the fields; one that the seed chooses if left out */
  readonly fields?: readonly string[];
}

interface MalformedJsonFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The answer is text that does not parse as JSON */
  readonly kind: "malformed_json";
}

interface DuplicateFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The tool is run twice; the second answer counts */
  readonly kind: "duplicate";
}

interface ReplaceConfig {
  /** Text in the file, every occurrence */
  readonly old: string;
  /** The text that takes its place */
  readonly new: string;
}

interface ExternalEditFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The file, relative to the workspace; if left out, the one in the call's argument `path` */
  readonly path?: string;
  /** Its whole text from then on; a file that is not there is created */
  readonly content?: string;
  /** Text that is added at its end */
  readonly append?: string;
  /** Text in it that is replaced */
  readonly replace?: ReplaceConfig;
  /** Somebody else changes a file of the workspace before the tool is run */
  readonly kind: "external_edit";
}

interface NamesConfig {
  /** Default: the user */
  readonly user?: string;
  /** Default: the assistant */
  readonly model?: string;
}

interface InjectFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** What the attacker wants, in their words */
  readonly text: string;
  /** The form of the attack; with expand: a list of them, or all, one case each. Default: important_message */
  readonly style?: "important_message" | "direct" | "ignore_previous" | "system_message" | "urgent_user" | "tool_result" | "delimiter_escape" | "fake_completion" | "combined" | "multi_step" | "hidden_markdown" | "hidden_html" | "unicode_tags" | "base64" | "all" | readonly ("important_message" | "direct" | "ignore_previous" | "system_message" | "urgent_user" | "tool_result" | "delimiter_escape" | "fake_completion" | "combined" | "multi_step" | "hidden_markdown" | "hidden_html" | "unicode_tags" | "base64")[];
  /** Your own form in place of a style, with {{text}} in it */
  readonly template?: string;
  /** Whom the styles name */
  readonly names?: NamesConfig;
  /** Where the text is put. Default: append */
  readonly place?: "append" | "prepend" | "replace";
  /** Path of the string that gets it in an object or list; the longest if left out */
  readonly field?: string;
  /** Assertions that all hold if the attack succeeded; the trial fails then */
  readonly goal: readonly AssertionConfig<Placeholder>[];
  /** The answer contains hostile instructions */
  readonly kind: "inject";
}

interface CutStreamFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The model's reply breaks off */
  readonly kind: "cut_stream";
  /** Events of a stream that the agent still receives. Default: 1 */
  readonly after?: number;
}

interface MalformedCallFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The arguments of the model's first tool call do not parse */
  readonly kind: "malformed_call";
}

interface RefusalFaultConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** In place of `tool`: the model as the agent names it, or * for the agent's own conversation */
  readonly model?: string;
  /** Name of the fault in case ids and messages; kind:tool or kind:model when left out */
  readonly id?: string;
  /** Fires on the n-th call, counting from 1; with `times`, on those that follow too */
  readonly call?: number;
  /** How many calls it hits; all when left out, one with `call` */
  readonly times?: number;
  /** Probability for each call, 0 to 1, drawn from the seed of the run, case and trial */
  readonly rate?: number;
  /** The model refuses to answer */
  readonly kind: "refusal";
  /** What it says */
  readonly text?: string;
}

interface FaultsConfig {
  /** Whether the test runs once without faults and once for each of them. Default: false */
  readonly expand?: boolean;
  /** The faults */
  readonly list: readonly (ErrorFaultConfig | LatencyFaultConfig | HangFaultConfig | TruncateFaultConfig | DropFieldsFaultConfig | MalformedJsonFaultConfig | DuplicateFaultConfig | ExternalEditFaultConfig | InjectFaultConfig | CutStreamFaultConfig | MalformedCallFaultConfig | RefusalFaultConfig)[];
}

interface TracesConfig {
  /** Longest wait for spans after an answer (10s) */
  readonly wait?: string | 0;
  /** Quiet time once the trace is whole (200ms) */
  readonly quiet?: string | 0;
  /** Port to listen at (4318 for url, else a free one) */
  readonly port?: number;
  /** Address to listen at (127.0.0.1) */
  readonly host?: string;
}

interface TargetConfig {
  /** Program and arguments, started for the agent without a shell; {{input}} in one is the user's message */
  readonly command: readonly [string, ...string[]] | string;
  /** plain: the prompt on stdin, the answer on stdout; json_lines: messages, tool calls and usage (plain) */
  readonly protocol?: "plain" | "json_lines";
  /** The command is one line for a shell; the message is on stdin and in KINDLM_INPUT */
  readonly shell?: boolean;
  /** Environment variables for the program, in addition to KindLM's environment; ${NAME} reads that */
  readonly env?: { readonly [key: string]: string };
  /** Folder it runs in, relative to the file (the folder of the file) */
  readonly cwd?: string;
  /** Name of the agent, behind the @ of its case ids (command) */
  readonly id?: string;
  /** Sends the agent's model requests to the models of the test: its OPENAI_BASE_URL leads to KindLM */
  readonly proxy?: boolean | {
    /** Runs the calls of tools that the test defines in KindLM: the agent's own tools of these names are never run */
    readonly run_tools: boolean;
  };
  /** Takes turns and tool calls from the agent's OpenTelemetry spans */
  readonly traces?: boolean | TracesConfig;
}

interface ResponseConfig2 {
  /** Path of the answer; without it the whole reply is the answer */
  readonly text?: string;
  /** Path of the list of calls: tool or name, args or arguments, result, error */
  readonly tool_calls?: string;
  /** Path of the token counts: input_tokens and output_tokens, or OpenAI's names */
  readonly usage?: string;
  /** Path of the id that later messages of the conversation send as {{session}} */
  readonly session?: string;
  /** Path of the name of the agent that answers, if there are several */
  readonly agent?: string;
}

interface TargetConfig2 {
  /** Address of the agent; may hold {{input}}, {{session}}, {{workspace}}, and ${NAME} from the environment */
  readonly url: string;
  /** How it is asked (POST) */
  readonly method?: "GET" | "POST";
  /** Headers of each request; a secret comes from the environment as ${NAME} */
  readonly headers?: { readonly [key: string]: string };
  /** Body of each request: a string, or anything else as JSON ({ input, session }) */
  readonly body?: ConfigValue;
  /** The paths of the parts of the answer in the JSON reply, such as reply.steps.0 */
  readonly response?: ResponseConfig2;
  /** Name of the agent, behind the @ of its case ids (http) */
  readonly id?: string;
  /** Takes turns and tool calls from the agent's OpenTelemetry spans */
  readonly traces?: boolean | TracesConfig;
}

interface TargetConfig3 {
  /** File and export of a function run(input, ctx), such as ./agent.ts#run; without # its default export */
  readonly module: string;
  /** Handed to the function as ctx.options */
  readonly with?: unknown;
  /** Name of the agent, behind the @ of its case ids (module) */
  readonly id?: string;
  /** Gives the function addresses for its model requests, such as ctx.openai */
  readonly proxy?: boolean | {
    /** Runs the calls of tools that the test defines in KindLM: the agent's own tools of these names are never run */
    readonly run_tools: boolean;
  };
  /** Takes turns and tool calls from the agent's OpenTelemetry spans */
  readonly traces?: boolean | TracesConfig;
}

interface BeforeConfig {
  /** The tool that is called */
  readonly tool: string;
  /** Arguments, sent as they are, also if they break the schema; may hold {{placeholders}} */
  readonly args?: { readonly [key: string]: unknown };
}

interface TargetConfig4 {
  /** Name of the server in mcp_servers of the test or its suite */
  readonly mcp: string;
  /** The tool that is called */
  readonly tool?: string;
  /** Arguments, sent as they are, also if they break the schema; may hold {{placeholders}} */
  readonly args?: { readonly [key: string]: unknown };
  /** URI of the resource that is read; may hold {{placeholders}} */
  readonly resource?: string;
  /** The prompt that is fetched, with `args` */
  readonly prompt?: string;
  /** What the server is asked to list. Default, without tool, resource and prompt: tools */
  readonly list?: "tools" | "resources" | "resource_templates" | "prompts";
  /** Calls that are made first, over the same connection; one that fails makes the trial errored */
  readonly before?: readonly BeforeConfig[];
  /** Calls tools that the server does not list, to test how it rejects them. Default: false. */
  readonly unlisted?: boolean;
  /** Name of the agent, behind the @ of its case ids (mcp) */
  readonly id?: string;
}

interface TargetConfig5 {
  /** A coding agent off the shelf, whose model is that of the test */
  readonly agent: "claude-code" | "codex" | "gemini-cli" | "opencode";
  /** Name or path of its program, if it is not the usual one */
  readonly program?: string;
  /** The name of the model that the agent sends, which shapes its requests */
  readonly model?: string;
  /** Further arguments of its program */
  readonly args?: readonly string[];
  /** Environment variables of the agent, which gets none of KindLM's but PATH and LANG */
  readonly env?: { readonly [key: string]: string };
  /** Name of the agent, behind the @ of its case ids (agent) */
  readonly id?: string;
}

interface GitConfig {
  /** Folder of the repository, bare or not, relative to the file */
  readonly repository: string;
  /** ID of the commit to check out */
  readonly commit: string;
}

interface LimitsConfig2 {
  /** What they add to the disk. Default: 1 GB */
  readonly size?: string;
  /** Files, folders and links that they add. Default: 100000 */
  readonly files?: number;
  /** Processes at a time. Default: 200 */
  readonly processes?: number;
  /** How long they run, all together. Default: no limit */
  readonly time?: string | 0;
}

interface WorkspaceConfig {
  /** Files by path with their text; with `from` or `git`, they replace the files there */
  readonly files?: { readonly [key: string]: string };
  /** Folder that is copied for each trial, relative to the file */
  readonly from?: string;
  /** A clone of a repository at a commit, with its history */
  readonly git?: GitConfig;
  /** Environment variables of its commands: names to pass on, or names with values; ${NAME} reads one */
  readonly env?: readonly string[] | { readonly [key: string]: string };
  /** When the folder stays after its trial; its path is in the report (never) */
  readonly keep?: "on_failure" | "always" | "never";
  /** Whether its commands run in a sandbox, if the machine can have one (true) */
  readonly sandbox?: boolean;
  /** What its commands can use up; a trial that exceeds a limit ends */
  readonly limits?: LimitsConfig2;
  /** Whether its commands can use the network from the sandbox (false) */
  readonly network?: boolean;
}

interface SkillsConfig {
  /** The folder, relative to the file (.skills) */
  readonly folder?: string;
  /** Names of the skills that there are for the agent; all if left out */
  readonly only?: readonly string[];
}

interface SprtConfig {
  /** A pass rate that is good enough */
  readonly good: number;
  /** A pass rate that is not; less than `good` */
  readonly bad: number;
  /** How often a good case may be called failed. Default: 0.05 */
  readonly alpha?: number;
  /** How often a bad case may be called passed. Default: 0.05 */
  readonly beta?: number;
}

interface RecommendationConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool?: string;
  /** Only for errors of this type */
  readonly error_type?: "validation" | "runtime" | "logical" | "aborted" | "exception";
  /** Advice put into the error that the model reads */
  readonly recommendations: readonly string[];
}

interface DenyConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool: string;
  /** The arguments must match this. Default: any */
  readonly args?: MatcherConfig;
}

interface PermissionsConfig {
  /** What happens to calls that no rule matches: auto runs them (default), approval asks for each, readonly runs tools with the attribute readonly and denies the others */
  readonly mode?: "auto" | "approval" | "readonly";
  /** Calls that are denied, whatever else matches them */
  readonly deny?: readonly (string | DenyConfig)[];
  /** Calls that need an approval unless they are denied */
  readonly ask?: readonly (string | DenyConfig)[];
  /** Calls that run in every mode unless they are denied or need an approval */
  readonly allow?: readonly (string | DenyConfig)[];
}

interface ApprovalConfig {
  /** Name of the tool; * and ? stand for any text and any character */
  readonly tool: string;
  /** The arguments must match this. Default: any */
  readonly args?: MatcherConfig;
  /** Answers only the n-th call that needs an approval and matches tool and args, counting from 1 */
  readonly call?: number;
  /** Whether the tool runs */
  readonly decision: "approve" | "deny";
  /** Why; the agent receives it as the error of a denied call */
  readonly note?: string;
}

/** A value that matches itself, an object of which each key must match, a list that must match element by element, or an object of operators such as {$regex: ^ORD-} or {$gte: 3, $lt: 10} */
export type MatcherConfig = string | number | boolean | null | readonly MatcherConfig[] | { readonly [key: string]: MatcherConfig } | {
  readonly $any?: unknown;
  readonly $absent?: unknown;
  readonly $optional?: unknown;
  readonly $one_of?: unknown;
  readonly $all_of?: unknown;
  readonly $not?: unknown;
  readonly $regex?: unknown;
  readonly $contains?: unknown;
  readonly $starts_with?: unknown;
  readonly $ends_with?: unknown;
  readonly $ignore_case?: unknown;
  readonly $normalized?: unknown;
  readonly $date?: unknown;
  readonly $gt?: unknown;
  readonly $gte?: unknown;
  readonly $lt?: unknown;
  readonly $lte?: unknown;
  readonly $approx?: unknown;
  readonly $integer?: unknown;
  readonly $length?: unknown;
  readonly $unordered?: unknown;
  readonly $includes?: unknown;
  readonly $every?: unknown;
  readonly $keys?: unknown;
  readonly $exact?: unknown;
  readonly $type?: unknown;
  readonly $schema?: unknown;
  readonly $literal?: unknown;
  readonly $flags?: unknown;
  readonly $ignoring?: unknown;
  readonly $tolerance?: unknown;
};

/** A call of the tool has matching arguments, and what is said about its result, number and order holds. */
interface ToolCalledAssertion<Placeholder = never> extends AssertionKeys {
  /** A call of the tool has matching arguments, and what is said about its result, number and order holds. */
  readonly type: "tool_called";
  /** Name of the tool. */
  readonly tool: string;
  /** The arguments must match this. Default: any. */
  readonly args?: MatcherConfig;
  /** What the tool returned must match this. Default: any. */
  readonly result?: MatcherConfig;
  /** The exact number of matching calls. */
  readonly times?: number | Placeholder;
  /** The lowest number of matching calls. Default: 1. */
  readonly min?: number | Placeholder;
  /** The highest number of matching calls. */
  readonly max?: number | Placeholder;
  /** Only calls in an earlier turn than some call of this other tool count. */
  readonly before?: string;
  /** Only calls in a later turn than some call of this other tool count. */
  readonly after?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The tool is not called, or not with matching arguments. */
interface ToolNotCalledAssertion<Placeholder = never> extends AssertionKeys {
  /** The tool is not called, or not with matching arguments. */
  readonly type: "tool_not_called";
  /** Name of the tool, a glob such as delete_*, or a list of either. */
  readonly tool: string | readonly string[] | Placeholder;
  /** The arguments must match this. Default: any. */
  readonly args?: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The tools are called in this order, each in a later turn than the one before it; other calls may lie between unless `strict`. */
interface ToolOrderAssertion<Placeholder = never> extends AssertionKeys {
  /** The tools are called in this order, each in a later turn than the one before it; other calls may lie between unless `strict`. */
  readonly type: "tool_order";
  /** Names of tools, or objects with tool and args. */
  readonly tools: readonly (string | {
    /** Name of the tool. */
    readonly tool: string;
    /** The arguments must match this. Default: any. */
    readonly args?: MatcherConfig;
  })[] | Placeholder;
  /** Whether no other call may lie between the first and the last. */
  readonly strict?: boolean | Placeholder;
  /** What decides the order of two calls. turn: their turns; calls of one turn have no order. position: their positions in the list of calls, also within a turn. Default: turn. */
  readonly by?: "turn" | "position" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The request led to the tool; the report counts expected and called tools in a confusion table. */
interface RoutesToAssertion<Placeholder = never> extends AssertionKeys {
  /** The request led to the tool; the report counts expected and called tools in a confusion table. */
  readonly type: "routes_to";
  /** Name of the tool that should be called; none if no tool should be. */
  readonly tool: string;
  /** Names or globs of tools that must not be called at any time. */
  readonly never?: string | readonly string[] | Placeholder;
  /** Whether the first call has to be one of the tool, or any call. Default: first. */
  readonly match?: "first" | "any" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The whole list of tool calls matches, by one of five modes. */
interface ToolCallsAssertion<Placeholder = never> extends AssertionKeys {
  /** The whole list of tool calls matches, by one of five modes. */
  readonly type: "tool_calls";
  /** The calls that are expected. An empty list means: no call at all. */
  readonly calls: readonly {
    /** Name of the tool. */
    readonly tool: string;
    /** The arguments must match this. Default: any. */
    readonly args?: MatcherConfig;
    /** What the tool returned must match this. Default: any. */
    readonly result?: MatcherConfig;
  }[] | Placeholder;
  /** strict: these calls in this order and no other (default). unordered: these calls and no other, in any order. subset: every call made is one of these. superset: all of these were made. in_order: all of these were made, in this order. */
  readonly mode?: "strict" | "unordered" | "subset" | "superset" | "in_order" | Placeholder;
  /** What decides the order of two calls. turn: their turns; calls of one turn have no order. position: their positions in the list of calls, also within a turn. Default: turn. */
  readonly by?: "turn" | "position" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The arguments of every call of the tool are valid by a JSON Schema; without a call it passes. */
interface ToolArgsSchemaAssertion<Placeholder = never> extends AssertionKeys {
  /** The arguments of every call of the tool are valid by a JSON Schema; without a call it passes. */
  readonly type: "tool_args_schema";
  /** Name of the tool. */
  readonly tool: string;
  /** File of the JSON Schema, relative to the config file. */
  readonly schema_file?: string;
  /** The JSON Schema itself, instead of a file. */
  readonly schema?: { readonly [key: string]: unknown } | boolean | Placeholder;
  /** The same as schema_file. */
  readonly schemaFile?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** No more than this many tool calls are made, of the tool or of all. */
interface MaxToolCallsAssertion<Placeholder = never> extends AssertionKeys {
  /** No more than this many tool calls are made, of the tool or of all. */
  readonly type: "max_tool_calls";
  /** The most calls that may be made, inclusive. */
  readonly max: number | Placeholder;
  /** Counts the calls of this tool (a name or a glob) only. */
  readonly tool?: string | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** No call that succeeded is made again with the same arguments, nor any call twice in one turn; a failed call may be tried again. */
interface NoRedundantCallsAssertion<Placeholder = never> extends AssertionKeys {
  /** No call that succeeded is made again with the same arguments, nor any call twice in one turn; a failed call may be tried again. */
  readonly type: "no_redundant_calls";
  /** Only calls of this tool: a name, a glob such as get_*, or a list of either. */
  readonly tool?: string | readonly string[] | Placeholder;
  /** So many redundant calls are tolerated. Default 0. */
  readonly max?: number | Placeholder;
  /** Tools (names or globs) that change what others return: after a successful call of one, the same call is not redundant. */
  readonly unless_after?: string | readonly string[] | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The tool fails, and after each of its errors a call of it, or of one of `via`, succeeds in a later turn. */
interface RecoversFromAssertion<Placeholder = never> extends AssertionKeys {
  /** The tool fails, and after each of its errors a call of it, or of one of `via`, succeeds in a later turn. */
  readonly type: "recovers_from";
  /** Name of the tool that fails. */
  readonly tool: string;
  /** Only calls of the tool whose arguments match this, failed or successful. Default: any. */
  readonly args?: MatcherConfig;
  /** Only errors of this type, or of one of these types. Default: any. */
  readonly error_type?: "validation" | "runtime" | "logical" | "aborted" | "exception" | readonly ("validation" | "runtime" | "logical" | "aborted" | "exception")[] | Placeholder;
  /** A successful call of one of these tools (names or globs) counts as well. */
  readonly via?: string | readonly string[] | Placeholder;
  /** The successful call is among this many next calls of any tool. Default: any later one. */
  readonly within?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** No call is made again with the same arguments after an error that said `retryable: false`. */
interface NoBlindRetryAssertion<Placeholder = never> extends AssertionKeys {
  /** No call is made again with the same arguments after an error that said `retryable: false`. */
  readonly type: "no_blind_retry";
  /** Only calls of this tool: a name, a glob such as pay_*, or a list of either. */
  readonly tool?: string | readonly string[] | Placeholder;
  /** After these errors too the same call must not be made again: any, or a list of types. */
  readonly errors?: "any" | readonly ("validation" | "runtime" | "logical" | "aborted" | "exception")[] | Placeholder;
  /** Tools (names or globs) that can clear the error: after a successful call of one, the same call may be made. */
  readonly unless_after?: string | readonly string[] | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The tool refuses arguments with a `validation` error, and after each such error it is called in a later turn with other, valid ones. */
interface FixesArgumentsAssertion<Placeholder = never> extends AssertionKeys {
  /** The tool refuses arguments with a `validation` error, and after each such error it is called in a later turn with other, valid ones. */
  readonly type: "fixes_arguments";
  /** Name of the tool that refuses the arguments. */
  readonly tool: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** No tool call fails, or none of the tool or with an error of the type. */
interface NoToolErrorsAssertion<Placeholder = never> extends AssertionKeys {
  /** No tool call fails, or none of the tool or with an error of the type. */
  readonly type: "no_tool_errors";
  /** Only calls of this tool: a name, a glob such as fs_*, or a list of either. */
  readonly tool?: string | readonly string[] | Placeholder;
  /** Only errors of this type, or of one of these types. Default: any. */
  readonly error_type?: "validation" | "runtime" | "logical" | "aborted" | "exception" | readonly ("validation" | "runtime" | "logical" | "aborted" | "exception")[] | Placeholder;
  /** False counts the error of a tool whose `fallback` answered in its place as well. Default: true. */
  readonly allow_fallback?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Before the first call of the tool the agent asked something in an answer without tool calls, and the user said something after it, or an approval was asked for each call; without a call it passes. */
interface AsksBeforeAssertion<Placeholder = never> extends AssertionKeys {
  /** Before the first call of the tool the agent asked something in an answer without tool calls, and the user said something after it, or an approval was asked for each call; without a call it passes. */
  readonly type: "asks_before";
  /** Name of the tool, a glob such as delete_*, or a list of either. */
  readonly tool: string | readonly string[] | Placeholder;
  /** The arguments must match this. Default: any. */
  readonly args?: MatcherConfig;
  /** The answer that asks must match this, such as { $regex: confirm }. Default: it holds a question mark. */
  readonly question?: MatcherConfig;
  /** message: only a question in an answer counts. approval: only approvals that permissions ask for count. Default: either. */
  readonly by?: "message" | "approval" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** A call of the tool was allowed, approved, denied, or left pending, as permissions and approvals decide. */
interface PermissionAssertion<Placeholder = never> extends AssertionKeys {
  /** A call of the tool was allowed, approved, denied, or left pending, as permissions and approvals decide. */
  readonly type: "permission";
  /** Name of the tool, a glob such as bash_*, or a list of either. */
  readonly tool: string | readonly string[] | Placeholder;
  /** The arguments must match this. Default: any. */
  readonly args?: MatcherConfig;
  /** What became of the call: allowed (nobody had to approve it), approved, denied, or pending (no entry of approvals answers it). */
  readonly decision: "allowed" | "approved" | "denied" | "pending" | Placeholder;
  /** The exact number of matching calls. */
  readonly times?: number | Placeholder;
  /** The lowest number of matching calls. Default: 1. */
  readonly min?: number | Placeholder;
  /** The highest number of matching calls. */
  readonly max?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** A tool emitted an event of this name whose data matches. */
interface EventAssertion<Placeholder = never> extends AssertionKeys {
  /** A tool emitted an event of this name whose data matches. */
  readonly type: "event";
  /** Name of the event, as the tool gave it to ctx.emit. */
  readonly name: string;
  /** Matcher for the event's data; left out, any data will do. */
  readonly data?: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The agent, or one of its sub-agents, delegated a task to the template with the tool task_run. */
interface DelegatesToAssertion<Placeholder = never> extends AssertionKeys {
  /** The agent, or one of its sub-agents, delegated a task to the template with the tool task_run. */
  readonly type: "delegates_to";
  /** ID of the template. */
  readonly template: string;
  /** How often exactly. Default: at least once. */
  readonly times?: number | Placeholder;
  /** Counts only tasks whose prompt matches. Default: any. */
  readonly prompt?: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The agent loaded the skill with the tool skills. */
interface LoadsSkillAssertion<Placeholder = never> extends AssertionKeys {
  /** The agent loaded the skill with the tool skills. */
  readonly type: "loads_skill";
  /** Name of the skill. */
  readonly skill: string;
  /** How often exactly. Default: at least once. */
  readonly times?: number | Placeholder;
  /** In an earlier turn than the first call of this tool: a name, a glob such as fs_*, or a list of either. */
  readonly before?: string | readonly string[] | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The todo list that the agent wrote last has these todos. */
interface TodoAssertion<Placeholder = never> extends AssertionKeys {
  /** The todo list that the agent wrote last has these todos. */
  readonly type: "todo";
  /** Every todo of the list has this status, and there is one. */
  readonly all?: "pending" | "in_progress" | "completed" | Placeholder;
  /** Counts only todos whose title matches. Default: any. */
  readonly title?: MatcherConfig;
  /** Counts only todos with this status. Default: any. */
  readonly status?: "pending" | "in_progress" | "completed" | Placeholder;
  /** How many todos there are at least. Default: 1. */
  readonly min?: number | Placeholder;
  /** How many todos there are at most. */
  readonly max?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The conversation with the simulated user ended this way: goal, gave_up, stop or max_turns. */
interface ConversationEndedAssertion<Placeholder = never> extends AssertionKeys {
  /** The conversation with the simulated user ended this way: goal, gave_up, stop or max_turns. */
  readonly type: "conversation_ended";
  /** How it must have ended; a list for any of them. max_turns: max_turns messages did not suffice. */
  readonly by: "goal" | "gave_up" | "stop" | "max_turns" | readonly ("goal" | "gave_up" | "stop" | "max_turns")[] | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer contains the text, or every text of the list. */
interface ContainsAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer contains the text, or every text of the list. */
  readonly type: "contains";
  /** A string, or a list of strings that must all occur. */
  readonly value: string | number | readonly (string | number)[] | Placeholder;
  /** True to treat upper and lower case alike. */
  readonly ignore_case?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer contains neither the text nor any text of the list. */
interface NotContainsAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer contains neither the text nor any text of the list. */
  readonly type: "not_contains";
  /** A string, or a list of strings that must all be absent. */
  readonly value: string | number | readonly (string | number)[] | Placeholder;
  /** True to treat upper and lower case alike. */
  readonly ignore_case?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer starts with the text, or with every text of the list. */
interface StartsWithAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer starts with the text, or with every text of the list. */
  readonly type: "starts_with";
  /** A string, or a list of strings that the answer must all start with. */
  readonly value: string | number | readonly (string | number)[] | Placeholder;
  /** True to treat upper and lower case alike. */
  readonly ignore_case?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer is exactly the text. */
interface EqualsAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer is exactly the text. */
  readonly type: "equals";
  /** The whole answer. A list requires all of its strings, so they must be the same. */
  readonly value: string | number | readonly (string | number)[] | Placeholder;
  /** True to treat upper and lower case alike. */
  readonly ignore_case?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The regular expression is found in the final answer. */
interface MatchesAssertion<Placeholder = never> extends AssertionKeys {
  /** The regular expression is found in the final answer. */
  readonly type: "matches";
  /** A JavaScript regular expression; it may match anywhere, unless it has ^ and $. */
  readonly value: string;
  /** Flags of the regular expression, such as i or im. */
  readonly flags?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The keywords occur in the final answer as whole words, in any case. */
interface KeywordsPresentAssertion<Placeholder = never> extends AssertionKeys {
  /** The keywords occur in the final answer as whole words, in any case. */
  readonly type: "keywords_present";
  /** The keywords; one may be several words. */
  readonly value: string | number | readonly (string | number)[] | Placeholder;
  /** Whether all of the keywords must be there, or any one of them. Default all. */
  readonly require?: "all" | "any" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The keywords do not occur in the final answer as whole words, in any case. */
interface KeywordsAbsentAssertion<Placeholder = never> extends AssertionKeys {
  /** The keywords do not occur in the final answer as whole words, in any case. */
  readonly type: "keywords_absent";
  /** The keywords; one may be several words. */
  readonly value: string | number | readonly (string | number)[] | Placeholder;
  /** Whether all of the keywords must be absent, or any one of them. Default all. */
  readonly require?: "all" | "any" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer is JSON, and the part at `path` matches `value`. */
interface JsonAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer is JSON, and the part at `path` matches `value`. */
  readonly type: "json";
  /** Matcher of the JSON. Without it the answer only has to be JSON. */
  readonly value?: MatcherConfig;
  /** Which part to match, such as items[2].price. Default: all of it. */
  readonly path?: string;
  /** True to refuse a code fence around the JSON. */
  readonly strict?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer is JSON that is valid by a JSON Schema (draft-07 or 2020-12). */
interface SchemaAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer is JSON that is valid by a JSON Schema (draft-07 or 2020-12). */
  readonly type: "schema";
  /** File of the JSON Schema, relative to the config file. */
  readonly schema_file?: string;
  /** The JSON Schema itself, instead of a file. */
  readonly schema?: { readonly [key: string]: ConfigValue } | boolean | Placeholder;
  /** True to refuse a code fence around the JSON. */
  readonly strict?: boolean | Placeholder;
  /** The same as schema_file. */
  readonly schemaFile?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer holds no social security number, card number, e-mail address, phone number, IBAN or custom pattern. */
interface NoPiiAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer holds no social security number, card number, e-mail address, phone number, IBAN or custom pattern. */
  readonly type: "no_pii";
  /** What to look for. Default all: ssn, card, email, phone, iban. */
  readonly kinds?: readonly ("ssn" | "card" | "email" | "phone" | "iban")[] | Placeholder;
  /** Further patterns that must not occur. */
  readonly patterns?: readonly {
    /** What it is called in messages, such as customer number. */
    readonly name: string;
    /** A JavaScript regular expression. */
    readonly value: string;
    /** Flags of the regular expression, such as i. */
    readonly flags?: string;
  }[] | Placeholder;
  /** Strings that may occur, such as your support address; * stands for anything, as in *@example.com. */
  readonly allow?: readonly string[] | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The length of the final answer, in characters as a reader counts them or in words, is within bounds. */
interface LengthAssertion<Placeholder = never> extends AssertionKeys {
  /** The length of the final answer, in characters as a reader counts them or in words, is within bounds. */
  readonly type: "length";
  /** The most that the length may be, inclusive. */
  readonly max?: number | Placeholder;
  /** The least that the length may be, inclusive. */
  readonly min?: number | Placeholder;
  /** What is counted. Default characters. */
  readonly unit?: "characters" | "words" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The agent declines what it was asked for, in its final answer or by its finish reason. */
interface RefusesAssertion<Placeholder = never> extends AssertionKeys {
  /** The agent declines what it was asked for, in its final answer or by its finish reason. */
  readonly type: "refuses";
  /** How a refusal is detected: patterns (default: by English phrasings, without a model) or judge (by a model). */
  readonly method?: "patterns" | "judge" | Placeholder;
  /** Regular expressions, whatever the case: an answer that one of them matches is a refusal too. */
  readonly patterns?: readonly string[] | Placeholder;
  /** The judge: an id of models, or provider:model. Default: `judge` of test, suite or defaults. */
  readonly model?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The agent does not decline what it was asked for, and its final answer is not empty. */
interface DoesNotRefuseAssertion<Placeholder = never> extends AssertionKeys {
  /** The agent does not decline what it was asked for, and its final answer is not empty. */
  readonly type: "does_not_refuse";
  /** How a refusal is detected: patterns (default: by English phrasings, without a model) or judge (by a model). */
  readonly method?: "patterns" | "judge" | Placeholder;
  /** Regular expressions, whatever the case: an answer that one of them matches is a refusal too. */
  readonly patterns?: readonly string[] | Placeholder;
  /** The judge: an id of models, or provider:model. Default: `judge` of test, suite or defaults. */
  readonly model?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** A judge, which is a model, gives a score of at least `threshold`. */
interface JudgeAssertion<Placeholder = never> extends AssertionKeys {
  /** A judge, which is a model, gives a score of at least `threshold`. */
  readonly type: "judge";
  /** What a good answer does, in plain words. */
  readonly criteria: string;
  /** The score from 0 to 1 that must be reached. Default 0.7. */
  readonly threshold?: number | Placeholder;
  /** Items that are scored one by one (strings, or { item, weight }), or the meaning of scores (a list of { score, when }) */
  readonly rubric?: readonly (string | {
    /** What must hold */
    readonly item: string;
    /** Its share in the score. Default: 1 */
    readonly weight?: number;
  })[] | readonly {
    /** The score, from 0 to 1 */
    readonly score: number;
    /** What deserves it */
    readonly when: string;
  }[] | Placeholder;
  /** An answer that would be right; the judge is shown it. */
  readonly reference?: string;
  /** The judge: an id of models, or provider:model. Default: `judge` of test, suite or defaults. */
  readonly model?: string;
  /** How often the judge is asked; the median counts. Default 1. */
  readonly samples?: number | Placeholder;
  /** What the judge is shown: everything that was said and done, or the final answer. Default conversation. */
  readonly sees?: "conversation" | "answer" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer is like the reference: its score by `method` is at least `threshold`. */
interface SimilarAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer is like the reference: its score by `method` is at least `threshold`. */
  readonly type: "similar";
  /** The text that the answer must be like. */
  readonly reference: string | number | Placeholder;
  /** How similarity is measured: rouge_l (default: words in common, in their order), levenshtein (characters), both without a model; embedding (meaning, by an embedding model); judge (meaning, by a model that scores). */
  readonly method?: "rouge_l" | "levenshtein" | "embedding" | "judge" | Placeholder;
  /** The least score that passes. Default: 0.5 for rouge_l, 0.8 for levenshtein and embedding, 0.7 for judge. */
  readonly threshold?: number | Placeholder;
  /** Whether upper and lower case are alike. Default: true for rouge_l, false for levenshtein. */
  readonly ignore_case?: boolean | Placeholder;
  /** The model that is asked, an id of models or provider:model: an embedding model for embedding, a judge for judge. Default: `embedder` or `judge` of the test, the suite or the defaults. */
  readonly model?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The final answer is at most `max` away from the one that the baseline has for the case. */
interface DriftAssertion<Placeholder = never> extends AssertionKeys {
  /** The final answer is at most `max` away from the one that the baseline has for the case. */
  readonly type: "drift";
  /** How distance is measured: field_diff (default: the share of JSON fields that differ, or of words if the answer is not JSON), embedding (meaning, by an embedding model), judge (meaning, by a model that scores). */
  readonly method?: "field_diff" | "embedding" | "judge" | Placeholder;
  /** The greatest distance that passes, from 0 to 1. Default: 0.2 for field_diff and embedding, 0.3 for judge. */
  readonly max?: number | Placeholder;
  /** The fields that field_diff compares, such as [status, items[*].price]. Default: all of them. */
  readonly fields?: readonly string[] | Placeholder;
  /** The model that is asked, an id of models or provider:model: an embedding model for embedding, a judge for judge. Default: `embedder` or `judge` of the test, the suite or the defaults. */
  readonly model?: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The time that the trial spent waiting for the provider is within bounds. */
interface LatencyAssertion<Placeholder = never> extends AssertionKeys {
  /** The time that the trial spent waiting for the provider is within bounds. */
  readonly type: "latency";
  /** The most that the latency may be, inclusive. */
  readonly max?: string | 0 | Placeholder;
  /** The least that the latency may be, inclusive. */
  readonly min?: string | 0 | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** What the trial cost, in US dollars, is within bounds. An unknown price is an error, not a pass. */
interface CostAssertion<Placeholder = never> extends AssertionKeys {
  /** What the trial cost, in US dollars, is within bounds. An unknown price is an error, not a pass. */
  readonly type: "cost";
  /** The most that the cost in US dollars may be, inclusive. */
  readonly max?: number | Placeholder;
  /** The least that the cost in US dollars may be, inclusive. */
  readonly min?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The number of tokens that the trial used is within bounds. */
interface TokensAssertion<Placeholder = never> extends AssertionKeys {
  /** The number of tokens that the trial used is within bounds. */
  readonly type: "tokens";
  /** The most that the number of tokens may be, inclusive. */
  readonly max?: number | Placeholder;
  /** The least that the number of tokens may be, inclusive. */
  readonly min?: number | Placeholder;
  /** Which tokens count. Default total. */
  readonly of?: "input" | "output" | "total" | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The number of requests to the model is within bounds. */
interface TurnsAssertion<Placeholder = never> extends AssertionKeys {
  /** The number of requests to the model is within bounds. */
  readonly type: "turns";
  /** The most that the number of turns may be, inclusive. */
  readonly max?: number | Placeholder;
  /** The least that the number of turns may be, inclusive. */
  readonly min?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The model ended its last turn for this reason. */
interface FinishReasonAssertion<Placeholder = never> extends AssertionKeys {
  /** The model ended its last turn for this reason. */
  readonly type: "finish_reason";
  /** stop, tool_calls, length, content_filter, refusal or other, whatever the provider calls it. */
  readonly value: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Every turn was answered by this model, so no fallback and no other version answered. */
interface ServedByAssertion<Placeholder = never> extends AssertionKeys {
  /** Every turn was answered by this model, so no fallback and no other version answered. */
  readonly type: "served_by";
  /** Name of the model, as its provider reports it in the answer. */
  readonly value: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The MCP server under test answered the call without an error, and its result matches. */
interface McpResultAssertion<Placeholder = never> extends AssertionKeys {
  /** The MCP server under test answered the call without an error, and its result matches. */
  readonly type: "mcp_result";
  /** Matcher for the text of the result. */
  readonly text?: MatcherConfig;
  /** Matcher for the structured content. */
  readonly structured?: MatcherConfig;
  /** Matcher for the list of content as the server sent it; bytes are replaced by their length and SHA-256. */
  readonly content?: MatcherConfig;
  /** Matcher for the whole result. */
  readonly result?: MatcherConfig;
  /** Longest time that the call may take. */
  readonly max_duration?: string | 0 | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The MCP server under test answered the call with an error that matches. */
interface McpErrorAssertion<Placeholder = never> extends AssertionKeys {
  /** The MCP server under test answered the call with an error that matches. */
  readonly type: "mcp_error";
  /** `result`: a result with isError. `protocol`: a JSON-RPC error, or an answer that breaks the protocol. `output_schema`: structured content that breaks the schema which the server lists. `connection`: the server is gone. `timeout`: no answer in time. Default: any. */
  readonly kind?: "result" | "protocol" | "output_schema" | "connection" | "timeout" | Placeholder;
  /** Code of the JSON-RPC error, such as -32602. */
  readonly code?: number | Placeholder;
  /** Matcher for the message, or for the text of a result with isError. */
  readonly message?: MatcherConfig;
  /** Matcher for the data of the JSON-RPC error. */
  readonly data?: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The MCP server under test reported progress during the call, and each value was greater than the one before. */
interface McpProgressAssertion<Placeholder = never> extends AssertionKeys {
  /** The MCP server under test reported progress during the call, and each value was greater than the one before. */
  readonly type: "mcp_progress";
  /** Fewest notifications of progress. Default: 1. */
  readonly min?: number | Placeholder;
  /** Most notifications of progress. */
  readonly max?: number | Placeholder;
  /** Whether the last notification has to reach the total that it names. Default: false. */
  readonly completes?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** What the MCP server under test lists is equal to the file: names, descriptions, schemas and annotations. */
interface McpSnapshotAssertion<Placeholder = never> extends AssertionKeys {
  /** What the MCP server under test lists is equal to the file: names, descriptions, schemas and annotations. */
  readonly type: "mcp_snapshot";
  /** JSON file with the list, relative to the config; --update-snapshots writes it. */
  readonly file: string;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The tools that the MCP server under test lists are described so that models can use them. */
interface McpLintAssertion<Placeholder = never> extends AssertionKeys {
  /** The tools that the MCP server under test lists are described so that models can use them. */
  readonly type: "mcp_lint";
  /** Rules to check. Default: all of them. */
  readonly rules?: readonly ("missing_description" | "long_description" | "missing_parameter_description" | "untyped_parameter" | "unknown_required" | "invalid_schema" | "invalid_name" | "duplicate_name" | "similar_name" | "similar_description")[] | Placeholder;
  /** Rules to leave out. */
  readonly off?: readonly ("missing_description" | "long_description" | "missing_parameter_description" | "untyped_parameter" | "unknown_required" | "invalid_schema" | "invalid_name" | "duplicate_name" | "similar_name" | "similar_description")[] | Placeholder;
  /** Names or globs of tools that are not checked. */
  readonly ignore?: readonly string[] | Placeholder;
  /** Longest description of a tool, in characters. Default: 1024. */
  readonly max_description?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The program under test ended its last answer with this exit code (command targets with `protocol: plain`). */
interface ExitCodeAssertion<Placeholder = never> extends AssertionKeys {
  /** The program under test ended its last answer with this exit code (command targets with `protocol: plain`). */
  readonly type: "exit_code";
  /** The exit code. */
  readonly value: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** What the program under test wrote to stdout for its last answer matches, whitespace included (command targets with `protocol: plain`). */
interface StdoutAssertion<Placeholder = never> extends AssertionKeys {
  /** What the program under test wrote to stdout for its last answer matches, whitespace included (command targets with `protocol: plain`). */
  readonly type: "stdout";
  /** The output must match this, such as { $ends_with: '}' }; a string is the whole output. */
  readonly value: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** A file of the workspace is as the agent should leave it. */
interface FileAssertion<Placeholder = never> extends AssertionKeys {
  /** A file of the workspace is as the agent should leave it. */
  readonly type: "file";
  /** Path of the file, relative to the workspace. */
  readonly path: string;
  /** There is such a file; the default. */
  readonly exists?: true | Placeholder;
  /** There is no such file. */
  readonly absent?: true | Placeholder;
  /** The agent did not change it. */
  readonly unchanged?: true | Placeholder;
  /** Its whole text. */
  readonly equals?: string;
  /** Text that occurs in it. */
  readonly contains?: string;
  /** A JavaScript regular expression that is found in it; ^ and $ match at line breaks, too. */
  readonly matches?: string;
  /** It is JSON that matches this matcher. */
  readonly json?: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The agent added, changed or deleted these files of its workspace; .git and node_modules do not count. */
interface FilesChangedAssertion<Placeholder = never> extends AssertionKeys {
  /** The agent added, changed or deleted these files of its workspace; .git and node_modules do not count. */
  readonly type: "files_changed";
  /** No other files than these; * stands for any text, slashes included. */
  readonly only?: readonly string[] | Placeholder;
  /** A file for each of these, at least. */
  readonly at_least?: readonly string[] | Placeholder;
  /** No file at all. */
  readonly none?: true | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** The agent tried to write a file outside of its workspace with a file tool; use it with `not: true`. */
interface WroteOutsideAssertion<Placeholder = never> extends AssertionKeys {
  /** The agent tried to write a file outside of its workspace with a file tool; use it with `not: true`. */
  readonly type: "wrote_outside";
  /** True to count attempts to read, too. Default: false. */
  readonly reads?: boolean | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Your own function, given the trial, returns true, a score of at least 0.5, or an object with pass: true. */
interface ModuleAssertion<Placeholder = never> extends AssertionKeys {
  /** Your own function, given the trial, returns true, a score of at least 0.5, or an object with pass: true. */
  readonly type: "module";
  /** File and export of your function, such as ./checks.ts#isPolite; without # its default export. */
  readonly module: string;
  /** Handed to the function as its second argument. */
  readonly with?: unknown | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Your own program, given the trial as JSON on stdin, exits with 0 and may print a JSON object with pass or score. Exit code 1 is a fail, any other an error. */
interface CommandAssertion<Placeholder = never> extends AssertionKeys {
  /** Your own program, given the trial as JSON on stdin, exits with 0 and may print a JSON object with pass or score. Exit code 1 is a fail, any other an error. */
  readonly type: "command";
  /** Program and arguments, without a shell; it runs in the folder of the config file. */
  readonly command: readonly [string, ...string[]] | Placeholder;
  /** Runs it in a copy of the workspace, with the environment of the workspace. */
  readonly cwd?: "workspace";
  /** It must end with this exit code: any other is a fail, and what it prints is not read as a verdict. Default with stdout: 0. */
  readonly exit_code?: number | Placeholder;
  /** What it prints must match this; the line break at the end is left out. */
  readonly stdout?: MatcherConfig;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** An agent gave the conversation to the agent with this name, which answered. */
interface HandsOffToAssertion<Placeholder = never> extends AssertionKeys {
  /** An agent gave the conversation to the agent with this name, which answered. */
  readonly type: "hands_off_to";
  /** Name of the agent that takes over. */
  readonly to: string;
  /** Name of the agent that gives the conversation away. Default: any. */
  readonly from?: string;
  /** How often exactly. Default: at least once. */
  readonly times?: number | Placeholder;
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Passes when every member does. */
interface AllOfGroup<Placeholder = never> extends AssertionKeys {
  /** The members. */
  readonly all_of: readonly AssertionConfig<Placeholder>[];
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Passes when at least one member does. */
interface AnyOfGroup<Placeholder = never> extends AssertionKeys {
  /** The members. */
  readonly any_of: readonly AssertionConfig<Placeholder>[];
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** Passes when at least this many members do. */
interface AtLeastGroup<Placeholder = never> extends AssertionKeys {
  /** How many members must pass. */
  readonly at_least: number;
  /** The members. */
  readonly of: readonly AssertionConfig<Placeholder>[];
  /** Look at the agent with this name alone. */
  readonly agent?: string;
}

/** An assertion, or a group of assertions */
export type AssertionConfig<Placeholder = never> = ToolCalledAssertion<Placeholder> | ToolNotCalledAssertion<Placeholder> | ToolOrderAssertion<Placeholder> | RoutesToAssertion<Placeholder> | ToolCallsAssertion<Placeholder> | ToolArgsSchemaAssertion<Placeholder> | MaxToolCallsAssertion<Placeholder> | NoRedundantCallsAssertion<Placeholder> | RecoversFromAssertion<Placeholder> | NoBlindRetryAssertion<Placeholder> | FixesArgumentsAssertion<Placeholder> | NoToolErrorsAssertion<Placeholder> | AsksBeforeAssertion<Placeholder> | PermissionAssertion<Placeholder> | EventAssertion<Placeholder> | DelegatesToAssertion<Placeholder> | LoadsSkillAssertion<Placeholder> | TodoAssertion<Placeholder> | ConversationEndedAssertion<Placeholder> | ContainsAssertion<Placeholder> | NotContainsAssertion<Placeholder> | StartsWithAssertion<Placeholder> | EqualsAssertion<Placeholder> | MatchesAssertion<Placeholder> | KeywordsPresentAssertion<Placeholder> | KeywordsAbsentAssertion<Placeholder> | JsonAssertion<Placeholder> | SchemaAssertion<Placeholder> | NoPiiAssertion<Placeholder> | LengthAssertion<Placeholder> | RefusesAssertion<Placeholder> | DoesNotRefuseAssertion<Placeholder> | JudgeAssertion<Placeholder> | SimilarAssertion<Placeholder> | DriftAssertion<Placeholder> | LatencyAssertion<Placeholder> | CostAssertion<Placeholder> | TokensAssertion<Placeholder> | TurnsAssertion<Placeholder> | FinishReasonAssertion<Placeholder> | ServedByAssertion<Placeholder> | McpResultAssertion<Placeholder> | McpErrorAssertion<Placeholder> | McpProgressAssertion<Placeholder> | McpSnapshotAssertion<Placeholder> | McpLintAssertion<Placeholder> | ExitCodeAssertion<Placeholder> | StdoutAssertion<Placeholder> | FileAssertion<Placeholder> | FilesChangedAssertion<Placeholder> | WroteOutsideAssertion<Placeholder> | ModuleAssertion<Placeholder> | CommandAssertion<Placeholder> | HandsOffToAssertion<Placeholder> | AllOfGroup<Placeholder> | AnyOfGroup<Placeholder> | AtLeastGroup<Placeholder> | RegisteredAssertion<Placeholder>;

/** An agent under test and its tests */
export interface SuiteConfig {
  /** Name of the suite, unique in the run */
  readonly name: string;
  /** The agent's system prompt; may hold {{placeholders}} */
  readonly system_prompt?: string;
  /** A file that holds the system prompt */
  readonly system_prompt_file?: string;
  /** Variants of the system prompt; every test runs with each of them */
  readonly prompts?: readonly {
    /** Name of the variant, in the ids of its cases */
    readonly id: string;
    /** The agent's system prompt; may hold {{placeholders}} */
    readonly system_prompt?: string;
    /** A file that holds the system prompt */
    readonly system_prompt_file?: string;
  }[];
  /** The tools that the agent may call: names of tools at the top, simulated tools, and those of modules, commands and HTTP services */
  readonly tools?: readonly (string | ToolConfig)[];
  /** Templates of the sub-agents that the tool `task_run` delegates to */
  readonly agents?: readonly {
    /** Name of the template, as the agent writes it in agentTemplateId */
    readonly id: string;
    /** System prompt of the sub-agent; may hold {{placeholders}} */
    readonly system: string;
    /** When to choose it, as the agent reads it */
    readonly when_to_use?: string;
    /** Its tools, written like those of a suite; a name may be that of a tool of the suite, and a name or glob that of tools of its MCP servers */
    readonly tools?: readonly (string | ToolConfig)[];
    /** Its model: an ID, provider:model, or both apart; that of the agent which delegates if left out */
    readonly model?: string | {
      /** Name of the provider */
      readonly provider: string;
      /** Name of the model, as the provider has it */
      readonly model: string;
    };
    /** Where delegation ends */
    readonly subagents?: SubagentsConfig;
  }[];
  /** Where the delegation of the agent under test ends */
  readonly subagents?: SubagentsConfig;
  /** The situations to put the agent in */
  readonly tests: readonly {
    /** Name of the test, unique in its suite */
    readonly name: string;
    /** The user's message: a string, or messages with history and images */
    readonly input?: string | {
      /** A conversation so far; the model answers its last message */
      readonly messages: readonly (UserMessageConfig | AssistantMessageConfig | ToolMessageConfig)[];
    };
    /** A conversation so far; the model answers its last message */
    readonly messages?: readonly (UserMessageConfig | AssistantMessageConfig | ToolMessageConfig)[];
    /** User messages sent one after the other, each with its own assertions */
    readonly conversation?: readonly {
      /** The next user message: a string that may contain {{placeholders}}, or text and images */
      readonly user: string | readonly (TextContentConfig | ImageContentConfig)[];
      /** What must hold after each trial; those of test, suite and defaults add up */
      readonly assert?: readonly AssertionConfig<Placeholder>[];
      /** Rolls the conversation back while the answer is rejected, gives the agent the reason and asks it again */
      readonly retry_until?: RetryUntilConfig;
    }[];
    /** A model plays the user: it talks with the agent until its goal is reached or its messages are used up */
    readonly simulated_user?: {
      /** Who the user is and how they talk; may hold {{placeholders}}. Default: an ordinary customer */
      readonly persona?: string;
      /** What the user wants to get done; may hold {{placeholders}} */
      readonly goal: string;
      /** What the user can answer when asked: a list of sentences, or names with values */
      readonly knows?: readonly string[] | { readonly [key: string]: string | number | boolean };
      /** The model that plays the user: an id of models, or provider:model */
      readonly model: string;
      /** The most messages that the user sends, input: included. Default: 10 */
      readonly max_turns?: number;
      /** Ends the conversation after an answer of the agent: a string that the answer contains, or a matcher over the trial so far, as in when: of an assertion */
      readonly stop?: string | MatcherConfig;
    };
    /** Rolls the conversation back while the answer is rejected, gives the agent the reason and asks it again */
    readonly retry_until?: RetryUntilConfig;
    /** A csv, jsonl, json or yaml file; one case per row. Cells of csv files are strings unless columns has their type */
    readonly dataset?: string | {
      /** The file */
      readonly file: string;
      /** Types of the columns of a csv file. Cells of other columns are strings */
      readonly columns?: { readonly [key: string]: "string" | "number" | "boolean" | "json" };
      /** The character between the cells of a csv file (,) */
      readonly delimiter?: string;
    };
    /** A dataset written in place; one case per row */
    readonly rows?: readonly { readonly [key: string]: unknown }[];
    /** Models to run on: ids of `models`, or provider:model */
    readonly models?: readonly string[];
    /** The model that judges where an assertion asks for a judge and names none: an id of models, or provider:model */
    readonly judge?: string;
    /** The embedding model, for assertions with method embedding that name none: an id of models, or provider:model */
    readonly embedder?: string;
    /** Trials per case, or { min, max }: more than min while the comparison with the baseline is inconclusive. Default: 1 */
    readonly runs?: number | RunsConfig;
    /** Passing trials that a case needs (all): a number, or k/n where n is `runs` */
    readonly pass?: number | string;
    /** What must hold after each trial; those of test, suite and defaults add up */
    readonly assert?: readonly AssertionConfig<Placeholder>[];
    /** What a trial may use up */
    readonly limits?: LimitsConfig;
    /** Deadlines; the nearest level that sets one wins */
    readonly timeouts?: TimeoutsConfig;
    /** MCP servers whose tools the agent may call; a test's own come after those of its suite */
    readonly mcp_servers?: readonly McpServerConfig[];
    /** After a tool error: the agent continues (continue, the default), the trial fails (fail), or the agent is asked to try again if it gives up on a retryable error (nudge) */
    readonly on_tool_error?: "continue" | "fail" | "nudge" | OnToolErrorConfig;
    /** Failures that are put in front of tools and the model, whatever they would have answered; [] for none */
    readonly faults?: readonly (ErrorFaultConfig | LatencyFaultConfig | HangFaultConfig | TruncateFaultConfig | DropFieldsFaultConfig | MalformedJsonFaultConfig | DuplicateFaultConfig | ExternalEditFaultConfig | InjectFaultConfig | CutStreamFaultConfig | MalformedCallFaultConfig | RefusalFaultConfig)[] | FaultsConfig;
    /** What simulated tools share in a trial, at its start; they read {{state.x}} and change it with `set` */
    readonly state?: { readonly [key: string]: unknown };
    /** What is tested: model (a loop that KindLM runs), your program by command, url or module, a coding agent, or an MCP server */
    readonly target?: "model" | TargetConfig | TargetConfig2 | TargetConfig3 | TargetConfig4 | TargetConfig5 | RegisteredTarget;
    /** A fresh folder for each trial, which the agent's tools and commands work in; false for none */
    readonly workspace?: false | WorkspaceConfig;
    /** Folder of the skills that the tool `skills` loads, each a folder with a SKILL.md; relative to the file */
    readonly skills?: string | SkillsConfig;
    /** Parameters of the requests; those of a test win over those of its model */
    readonly params?: {
      /** Sampling temperature; 0 for the most likely answer */
      readonly temperature?: number;
      /** Nucleus sampling: share of the probability that is considered */
      readonly top_p?: number;
      /** The most tokens that the model may write, its reasoning included */
      readonly max_tokens?: number;
      /** Asks the provider for a repeatable answer, where it can */
      readonly seed?: number;
      /** Strings at which the model stops */
      readonly stop?: readonly string[];
      /** Discourages tokens by how often they occurred */
      readonly frequency_penalty?: number;
      /** Discourages tokens that occurred at all */
      readonly presence_penalty?: number;
      /** How much the model thinks, such as low, medium or high */
      readonly reasoning_effort?: string;
      /** Whether the model may or must call a tool, or which one */
      readonly tool_choice?: "auto" | "none" | "required" | {
        readonly tool: string;
      };
      /** Whether one answer may call several tools */
      readonly parallel_tool_calls?: boolean;
      /** Asks for an answer in JSON: json for any object, or a schema */
      readonly response_format?: "json" | {
        /** Name of the schema, for providers that want one */
        readonly name?: string;
        /** JSON Schema that the answer must satisfy */
        readonly schema: { readonly [key: string]: ConfigValue };
        /** Whether the provider enforces the schema, where it can choose */
        readonly strict?: boolean;
      };
      /** Put into the request body as it stands, over everything else */
      readonly extra_body?: { readonly [key: string]: ConfigValue };
    };
    /** Labels to choose tests by, with --tag; those of the suite and of the test add up */
    readonly tags?: readonly string[];
    /** Not run, and counted as skipped: true, or the reason */
    readonly skip?: boolean | string;
    /** Values for {{placeholders}}; those of a test win over those of its suite and of the run */
    readonly vars?: { readonly [key: string]: unknown };
    /** Ends a case when its verdict is certain; such cases take no part in rates and baselines. Default: false */
    readonly early_end?: boolean | {
      /** A sequential probability ratio test, which may end a case before pass is decided */
      readonly sprt: SprtConfig;
    };
    /** How a tool error is passed to the model: the full envelope, its message alone, or an empty result */
    readonly tool_errors?: "envelope" | "plain" | "none";
    /** Advice for the model after a tool error; none by default, because it would coach the agent */
    readonly recommendations?: "builtin" | readonly RecommendationConfig[];
    /** Which tool calls may run: by mode, by tool, and by arguments */
    readonly permissions?: PermissionsConfig;
    /** Answers to calls that need an approval; the first that matches counts. Without one, the trial is paused */
    readonly approvals?: readonly ApprovalConfig[];
    /** Reminders of the todo list that an agent writes with todo_write; none if left out */
    readonly todos?: {
      /** Turns with tool calls after which the agent is reminded of open todos, if its list has not changed */
      readonly remind_after: number;
    };
    /** A do-nothing agent may pass: the test says what must not happen. kindlm test --vacuity expects it */
    readonly guardrail?: boolean;
    /** The weighted mean score that a trial must reach, instead of every assertion passing */
    readonly threshold?: number;
    /** Run just the tests that say so; an error in CI */
    readonly only?: boolean;
    /** Why a failure of this test is reported without counting */
    readonly allow_failure?: string;
    /** A failure fails the run, whatever the gates say */
    readonly critical?: boolean;
    /** The cluster that its cases belong to in statistics */
    readonly group?: string;
  }[];
  /** Conditions on this suite alone, in addition to those on the whole run */
  readonly gates?: {
    /** Least share of cases that must pass. Cases errored from outside and those with allow_failure do not count. Needs exit_on: gates. */
    readonly pass_rate?: number;
    /** Least share of cases with retry_until that must pass without a rejected answer. */
    readonly first_try?: number;
    /** Least mean score of all judge assertions, over all trials and within groups. Fails if no judge gave a score. */
    readonly judge_avg?: number;
    /** Most cases that may be errored. */
    readonly errored?: number;
    /** Most US dollars that it may cost, judges and simulated users included. Fails if a price is unknown. */
    readonly cost?: number;
    /** Highest 95th percentile of the latency of trials. */
    readonly latency_p95?: string | 0;
    /** Most tool calls that may end in an error: of all types together, or by type. */
    readonly tool_errors?: number | {
      /** Arguments that break the tool's schema, and tools that do not exist */
      readonly validation?: number;
      /** The tool threw */
      readonly runtime?: number;
      /** The tool said that it failed */
      readonly logical?: number;
      /** Timeouts and interruptions */
      readonly aborted?: number;
      /** Failures around the tool */
      readonly exception?: number;
    };
    /** Least mean pass rate, without attacks, of the cases that prompt injection attacks. Needs exit_on: gates. */
    readonly utility?: number;
    /** Least share of attacked trials in which the task is done, mean over the cases. Needs exit_on: gates. */
    readonly utility_under_attack?: number;
    /** Most of the attacked trials in which an attack may reach its goal, mean over the cases. Needs exit_on: gates. */
    readonly attack_success_rate?: number;
    /** Most cases that may be flagged as worse than the baseline. A critical case that is worse and a suite that is regressed always fail the gate. */
    readonly regressions?: number;
    /** Whether a comparison with the baseline that cannot decide passes or fails. In results, the gate is called inconclusive. Default: pass. */
    readonly on_inconclusive?: "pass" | "fail";
    /** Highest growth of the cost of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly cost_increase?: number;
    /** Highest growth of the tokens of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly tokens_increase?: number;
    /** Highest growth of the latency of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly latency_increase?: number;
    /** Highest growth of the turns of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly turns_increase?: number;
    /** Highest growth of the tool calls of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly tool_calls_increase?: number;
    /** By arm, how much its mean pass rate must be above that of the first arm, with 95% certainty: 0 asks for a better one, −0.05 for one that is at most 5 points worse. */
    readonly arms?: { readonly [key: string]: number };
  };
  /** Variants of the agent, which all tests run with; each is compared with the first */
  readonly arms?: readonly {
    /** Its name, after the ~ of case ids */
    readonly id: string;
    /** The arm whose skills it has with neutral text of the same length */
    readonly placebo_of?: string;
    /** Why its failures are reported without counting */
    readonly allow_failure?: string;
    /** Parameters of the requests */
    readonly params?: { readonly [key: string]: unknown };
    /** As in the suite */
    readonly system_prompt?: unknown;
    /** As in the suite */
    readonly system_prompt_file?: unknown;
    /** As in the suite */
    readonly prompts?: unknown;
    /** As in the suite */
    readonly models?: unknown;
    /** As in the suite */
    readonly tools?: unknown;
    /** As in the suite */
    readonly agents?: unknown;
    /** As in the suite */
    readonly subagents?: unknown;
    /** As in the suite */
    readonly mcp_servers?: unknown;
    /** As in the suite */
    readonly skills?: unknown;
    /** As in the suite */
    readonly workspace?: unknown;
    /** As in the suite */
    readonly target?: unknown | RegisteredTarget;
    /** As in the suite */
    readonly vars?: unknown;
    /** As in the suite */
    readonly limits?: unknown;
    /** As in the suite */
    readonly timeouts?: unknown;
    /** As in the suite */
    readonly on_tool_error?: unknown;
    /** As in the suite */
    readonly tool_errors?: unknown;
    /** As in the suite */
    readonly recommendations?: unknown;
    /** As in the suite */
    readonly permissions?: unknown;
    /** As in the suite */
    readonly approvals?: unknown;
    /** As in the suite */
    readonly todos?: unknown;
  }[];
  /** Models to run on: ids of `models`, or provider:model */
  readonly models?: readonly string[];
  /** The model that judges where an assertion asks for a judge and names none: an id of models, or provider:model */
  readonly judge?: string;
  /** The embedding model, for assertions with method embedding that name none: an id of models, or provider:model */
  readonly embedder?: string;
  /** Trials per case, or { min, max }: more than min while the comparison with the baseline is inconclusive. Default: 1 */
  readonly runs?: number | RunsConfig;
  /** Passing trials that a case needs (all): a number, or k/n where n is `runs` */
  readonly pass?: number | string;
  /** What must hold after each trial; those of test, suite and defaults add up */
  readonly assert?: readonly AssertionConfig<Placeholder>[];
  /** What a trial may use up */
  readonly limits?: LimitsConfig;
  /** Deadlines; the nearest level that sets one wins */
  readonly timeouts?: TimeoutsConfig;
  /** MCP servers whose tools the agent may call; a test's own come after those of its suite */
  readonly mcp_servers?: readonly McpServerConfig[];
  /** After a tool error: the agent continues (continue, the default), the trial fails (fail), or the agent is asked to try again if it gives up on a retryable error (nudge) */
  readonly on_tool_error?: "continue" | "fail" | "nudge" | OnToolErrorConfig;
  /** Failures that are put in front of tools and the model, whatever they would have answered; [] for none */
  readonly faults?: readonly (ErrorFaultConfig | LatencyFaultConfig | HangFaultConfig | TruncateFaultConfig | DropFieldsFaultConfig | MalformedJsonFaultConfig | DuplicateFaultConfig | ExternalEditFaultConfig | InjectFaultConfig | CutStreamFaultConfig | MalformedCallFaultConfig | RefusalFaultConfig)[] | FaultsConfig;
  /** What simulated tools share in a trial, at its start; they read {{state.x}} and change it with `set` */
  readonly state?: { readonly [key: string]: unknown };
  /** What is tested: model (a loop that KindLM runs), your program by command, url or module, a coding agent, or an MCP server */
  readonly target?: "model" | TargetConfig | TargetConfig2 | TargetConfig3 | TargetConfig4 | TargetConfig5 | RegisteredTarget;
  /** A fresh folder for each trial, which the agent's tools and commands work in; false for none */
  readonly workspace?: false | WorkspaceConfig;
  /** Folder of the skills that the tool `skills` loads, each a folder with a SKILL.md; relative to the file */
  readonly skills?: string | SkillsConfig;
  /** Labels to choose tests by, with --tag; those of the suite and of the test add up */
  readonly tags?: readonly string[];
  /** Not run, and counted as skipped: true, or the reason */
  readonly skip?: boolean | string;
  /** Values for {{placeholders}}; those of a test win over those of its suite and of the run */
  readonly vars?: { readonly [key: string]: unknown };
  /** Ends a case when its verdict is certain; such cases take no part in rates and baselines. Default: false */
  readonly early_end?: boolean | {
    /** A sequential probability ratio test, which may end a case before pass is decided */
    readonly sprt: SprtConfig;
  };
  /** How a tool error is passed to the model: the full envelope, its message alone, or an empty result */
  readonly tool_errors?: "envelope" | "plain" | "none";
  /** Advice for the model after a tool error; none by default, because it would coach the agent */
  readonly recommendations?: "builtin" | readonly RecommendationConfig[];
  /** Which tool calls may run: by mode, by tool, and by arguments */
  readonly permissions?: PermissionsConfig;
  /** Answers to calls that need an approval; the first that matches counts. Without one, the trial is paused */
  readonly approvals?: readonly ApprovalConfig[];
  /** Reminders of the todo list that an agent writes with todo_write; none if left out */
  readonly todos?: {
    /** Turns with tool calls after which the agent is reminded of open todos, if its list has not changed */
    readonly remind_after: number;
  };
  /** A do-nothing agent may pass: the test says what must not happen. kindlm test --vacuity expects it */
  readonly guardrail?: boolean;
  /** Left alone. */
  readonly [note: `x-${string}`]: unknown;
}

/** Tests of AI agents: models, suites, situations and what must hold in them */
export interface KindlmConfig {
  /** Address of the JSON Schema, for editors */
  readonly $schema?: string;
  /** Version of the format of this file */
  readonly version: 1;
  /** Name of the project, for reports */
  readonly project?: string;
  /** Where models run. The known providers work by name, without an entry here */
  readonly providers?: { readonly [key: string]: WithRegisteredProviders<{
    /** Which API it speaks; the entry's own name when left out */
    readonly type?: "openai" | "anthropic" | "gemini" | "mistral" | "cohere" | "ollama" | "azure" | "bedrock" | "scripted";
    /** Address of the API, without a slash at the end */
    readonly base_url?: string;
    /** Environment variable that holds the API key */
    readonly api_key_env?: string;
    /** Further request headers; they win over the adapter's own */
    readonly headers?: { readonly [key: string]: string };
    /** Which API answers: chat completions (chat, when left out) or the Responses API (responses) */
    readonly api?: "chat" | "responses";
    /** Sent as OpenAI-Organization */
    readonly organization?: string;
    /** Sent as OpenAI-Project */
    readonly project?: string;
    /** Name of the deployment; the model's name when left out */
    readonly deployment?: string;
    /** Name of the Azure resource, for https://<resource>.openai.azure.com */
    readonly resource?: string;
    /** A dated version asks the classic API; the v1 API, which needs none, when left out */
    readonly api_version?: string;
    /** Region of the models; AWS_REGION or AWS_DEFAULT_REGION when absent */
    readonly region?: string;
    /** Profile of AWS's shared config files that holds the credentials */
    readonly profile?: string;
    /** How a failed call to a provider is tried again */
    readonly retry?: "default" | "conservative" | "aggressive" | "production" | "disabled" | {
      /** Where the values come from that are not written here */
      readonly preset?: "default" | "conservative" | "aggressive" | "production" | "disabled";
      /** All attempts, the first included */
      readonly max_attempts?: number;
      /** Wait before the second attempt */
      readonly initial_delay?: string | 0;
      /** The longest wait between two attempts */
      readonly max_delay?: string | 0;
      /** By how much each wait is longer than the one before */
      readonly multiplier?: number;
      /** Random extra wait, as a share of the wait */
      readonly jitter?: number;
      /** Further HTTP statuses that are tried again */
      readonly statuses?: readonly number[];
      /** Regular expressions on the error's body that allow another try */
      readonly patterns?: readonly string[];
      /** A server that asks for a longer wait fails the call immediately */
      readonly max_retry_after?: string | 0;
      /** All attempts and waits together may take this long */
      readonly total?: string | 0;
    };
    /** When calls to a server that keeps failing are refused without a request; false for never */
    readonly circuit_breaker?: false | {
      /** Failed attempts in a row that open the circuit. Default: 5 */
      readonly failures?: number;
      /** After which one call may try whether the server is back. Default: 60s */
      readonly reset?: string | 0;
    };
    /** Models that answer in its place, in this order, while it is down or limits the rate */
    readonly fallback?: readonly string[];
    /** Lets `fallback` answer for a model under test too (false); such cases are marked */
    readonly allow_fallback?: boolean;
    /** The most requests that begin within any minute */
    readonly requests_per_minute?: number;
    /** The most tokens, of input and output, that are used within any minute */
    readonly tokens_per_minute?: number;
    /** Asks for answers in pieces, which gives the time to the first token. Default: false */
    readonly stream?: boolean;
  }> };
  /** The models that tests may name */
  readonly models?: readonly {
    /** Name of the model in this config and in reports */
    readonly id: string;
    /** Name of a known provider, or of an entry of `providers` */
    readonly provider: string;
    /** Parameters of the requests; those of a test win over those of its model */
    readonly params?: {
      /** Sampling temperature; 0 for the most likely answer */
      readonly temperature?: number;
      /** Nucleus sampling: share of the probability that is considered */
      readonly top_p?: number;
      /** The most tokens that the model may write, its reasoning included */
      readonly max_tokens?: number;
      /** Asks the provider for a repeatable answer, where it can */
      readonly seed?: number;
      /** Strings at which the model stops */
      readonly stop?: readonly string[];
      /** Discourages tokens by how often they occurred */
      readonly frequency_penalty?: number;
      /** Discourages tokens that occurred at all */
      readonly presence_penalty?: number;
      /** How much the model thinks, such as low, medium or high */
      readonly reasoning_effort?: string;
      /** Whether the model may or must call a tool, or which one */
      readonly tool_choice?: "auto" | "none" | "required" | {
        readonly tool: string;
      };
      /** Whether one answer may call several tools */
      readonly parallel_tool_calls?: boolean;
      /** Asks for an answer in JSON: json for any object, or a schema */
      readonly response_format?: "json" | {
        /** Name of the schema, for providers that want one */
        readonly name?: string;
        /** JSON Schema that the answer must satisfy */
        readonly schema: { readonly [key: string]: ConfigValue };
        /** Whether the provider enforces the schema, where it can choose */
        readonly strict?: boolean;
      };
      /** Put into the request body as it stands, over everything else */
      readonly extra_body?: { readonly [key: string]: ConfigValue };
    };
    /** How a failed call to a provider is tried again */
    readonly retry?: "default" | "conservative" | "aggressive" | "production" | "disabled" | {
      /** Where the values come from that are not written here */
      readonly preset?: "default" | "conservative" | "aggressive" | "production" | "disabled";
      /** All attempts, the first included */
      readonly max_attempts?: number;
      /** Wait before the second attempt */
      readonly initial_delay?: string | 0;
      /** The longest wait between two attempts */
      readonly max_delay?: string | 0;
      /** By how much each wait is longer than the one before */
      readonly multiplier?: number;
      /** Random extra wait, as a share of the wait */
      readonly jitter?: number;
      /** Further HTTP statuses that are tried again */
      readonly statuses?: readonly number[];
      /** Regular expressions on the error's body that allow another try */
      readonly patterns?: readonly string[];
      /** A server that asks for a longer wait fails the call immediately */
      readonly max_retry_after?: string | 0;
      /** All attempts and waits together may take this long */
      readonly total?: string | 0;
    };
    /** When calls to a server that keeps failing are refused without a request; false for never */
    readonly circuit_breaker?: false | {
      /** Failed attempts in a row that open the circuit. Default: 5 */
      readonly failures?: number;
      /** After which one call may try whether the server is back. Default: 60s */
      readonly reset?: string | 0;
    };
    /** Models that answer in its place, in this order, while it is down or limits the rate */
    readonly fallback?: readonly string[];
    /** Lets `fallback` answer for a model under test too (false); such cases are marked */
    readonly allow_fallback?: boolean;
    /** The most requests that begin within any minute */
    readonly requests_per_minute?: number;
    /** The most tokens, of input and output, that are used within any minute */
    readonly tokens_per_minute?: number;
    /** Asks for answers in pieces, which gives the time to the first token. Default: false */
    readonly stream?: boolean;
    /** Deadlines; the nearest level that sets one wins */
    readonly timeouts?: {
      /** Until the connection to a provider stands. Default: 10s */
      readonly connect?: string | 0;
      /** Until the first byte of a reply. Default: 60s */
      readonly headers?: string | 0;
      /** The longest pause within a reply. Default: 30s */
      readonly idle?: string | 0;
      /** One request to a provider, start to end. Default: 60s */
      readonly request?: string | 0;
    };
    /** What the model costs, where KindLM does not know or you pay another price */
    readonly pricing?: {
      /** US dollars per million input tokens */
      readonly input: number;
      /** US dollars per million output tokens */
      readonly output: number;
      /** US dollars per million input tokens read from the provider's cache */
      readonly cached_input?: number;
    };
    /** Name of the model, as its provider knows it */
    readonly model?: string;
    /** Which API answers: chat completions (chat, when left out) or the Responses API (responses) */
    readonly api?: "chat" | "responses";
    /** Name of the deployment; the model's name when left out */
    readonly deployment?: string;
    /** Path of a YAML file, or its content */
    readonly script?: string | {
      /** Tried in order for each request */
      readonly rules?: readonly {
        /** All of it must match; a rule without it matches always */
        readonly when?: {
          /** Text of the last user message */
          readonly user?: MatcherConfig;
          /** Which request of the trial it is, from 1 */
          readonly turn?: MatcherConfig;
          /** Which try of this request it is, from 1; more than 1 after a retry */
          readonly attempt?: MatcherConfig;
          /** What the last tool returned, parsed when it is JSON */
          readonly last_tool_result?: MatcherConfig;
          /** The system prompt */
          readonly system?: MatcherConfig;
          /** Names of the tools on offer */
          readonly tools?: MatcherConfig;
        };
        /** What the model answers */
        readonly reply?: {
          /** The answer; may hold placeholders such as {{args.order_id}} */
          readonly text?: string;
          /** Tools to call, all in one turn */
          readonly tool_calls?: readonly {
            /** Name of the tool */
            readonly tool: string;
            /** Arguments; strings may hold placeholders */
            readonly args?: { readonly [key: string]: ConfigValue };
            /** Id of the call; default: made from turn and position */
            readonly id?: string;
            /** Arguments as raw text, to rehearse text that is not JSON */
            readonly raw_args?: string;
          }[];
          /** The answer as data, sent as JSON text */
          readonly json?: ConfigValue;
          /** An HTTP error instead of an answer */
          readonly error?: {
            /** HTTP status of the reply */
            readonly status: number;
            /** Body: a string, or data that is sent as JSON */
            readonly body?: ConfigValue;
            /** Headers of the reply */
            readonly headers?: { readonly [key: string]: string };
            /** How long the server asks to wait */
            readonly retry_after?: string | 0;
          };
          /** Waits before it answers */
          readonly delay?: string | 0;
          /** Never answers: the request's deadline ends it */
          readonly hang?: true;
          /** Number of bytes, or of words as { chunks }, after which the connection breaks */
          readonly drop_after?: number | {
            /** Bytes of the answer that arrive */
            readonly bytes: number;
          } | {
            /** Words of the answer that arrive */
            readonly chunks: number;
          };
          /** Token counts; default: characters divided by four, rounded up */
          readonly usage?: {
            /** Tokens of the request */
            readonly input_tokens: number;
            /** Tokens of the answer */
            readonly output_tokens: number;
            /** Those of the request that came from a cache */
            readonly cached_input_tokens?: number;
            /** Those of the answer that went into reasoning */
            readonly reasoning_tokens?: number;
          };
          /** Why the model stopped; default: by what it answers */
          readonly finish_reason?: "stop" | "tool_calls" | "length" | "content_filter" | "refusal" | "other";
        };
        /** One of several replies, drawn by weight; repeatable for seed, case and trial */
        readonly choose?: readonly {
          /** How likely it is, relative to the weights of the others */
          readonly weight: number;
          /** What the model answers */
          readonly reply: {
            /** The answer; may hold placeholders such as {{args.order_id}} */
            readonly text?: string;
            /** Tools to call, all in one turn */
            readonly tool_calls?: readonly {
              /** Name of the tool */
              readonly tool: string;
              /** Arguments; strings may hold placeholders */
              readonly args?: { readonly [key: string]: ConfigValue };
              /** Id of the call; default: made from turn and position */
              readonly id?: string;
              /** Arguments as raw text, to rehearse text that is not JSON */
              readonly raw_args?: string;
            }[];
            /** The answer as data, sent as JSON text */
            readonly json?: ConfigValue;
            /** An HTTP error instead of an answer */
            readonly error?: {
              /** HTTP status of the reply */
              readonly status: number;
              /** Body: a string, or data that is sent as JSON */
              readonly body?: ConfigValue;
              /** Headers of the reply */
              readonly headers?: { readonly [key: string]: string };
              /** How long the server asks to wait */
              readonly retry_after?: string | 0;
            };
            /** Waits before it answers */
            readonly delay?: string | 0;
            /** Never answers: the request's deadline ends it */
            readonly hang?: true;
            /** Number of bytes, or of words as { chunks }, after which the connection breaks */
            readonly drop_after?: number | {
              /** Bytes of the answer that arrive */
              readonly bytes: number;
            } | {
              /** Words of the answer that arrive */
              readonly chunks: number;
            };
            /** Token counts; default: characters divided by four, rounded up */
            readonly usage?: {
              /** Tokens of the request */
              readonly input_tokens: number;
              /** Tokens of the answer */
              readonly output_tokens: number;
              /** Those of the request that came from a cache */
              readonly cached_input_tokens?: number;
              /** Those of the answer that went into reasoning */
              readonly reasoning_tokens?: number;
            };
            /** Why the model stopped; default: by what it answers */
            readonly finish_reason?: "stop" | "tool_calls" | "length" | "content_filter" | "refusal" | "other";
          };
        }[];
      }[];
      /** The answer when no rule matches */
      readonly otherwise?: {
        /** The answer; may hold placeholders such as {{args.order_id}} */
        readonly text?: string;
        /** Tools to call, all in one turn */
        readonly tool_calls?: readonly {
          /** Name of the tool */
          readonly tool: string;
          /** Arguments; strings may hold placeholders */
          readonly args?: { readonly [key: string]: ConfigValue };
          /** Id of the call; default: made from turn and position */
          readonly id?: string;
          /** Arguments as raw text, to rehearse text that is not JSON */
          readonly raw_args?: string;
        }[];
        /** The answer as data, sent as JSON text */
        readonly json?: ConfigValue;
        /** An HTTP error instead of an answer */
        readonly error?: {
          /** HTTP status of the reply */
          readonly status: number;
          /** Body: a string, or data that is sent as JSON */
          readonly body?: ConfigValue;
          /** Headers of the reply */
          readonly headers?: { readonly [key: string]: string };
          /** How long the server asks to wait */
          readonly retry_after?: string | 0;
        };
        /** Waits before it answers */
        readonly delay?: string | 0;
        /** Never answers: the request's deadline ends it */
        readonly hang?: true;
        /** Number of bytes, or of words as { chunks }, after which the connection breaks */
        readonly drop_after?: number | {
          /** Bytes of the answer that arrive */
          readonly bytes: number;
        } | {
          /** Words of the answer that arrive */
          readonly chunks: number;
        };
        /** Token counts; default: characters divided by four, rounded up */
        readonly usage?: {
          /** Tokens of the request */
          readonly input_tokens: number;
          /** Tokens of the answer */
          readonly output_tokens: number;
          /** Those of the request that came from a cache */
          readonly cached_input_tokens?: number;
          /** Those of the answer that went into reasoning */
          readonly reasoning_tokens?: number;
        };
        /** Why the model stopped; default: by what it answers */
        readonly finish_reason?: "stop" | "tool_calls" | "length" | "content_filter" | "refusal" | "other";
      };
    };
  }[];
  /** Tools that several suites use: each names them in its own tools */
  readonly tools?: readonly ToolConfig[];
  /** Templates of the sub-agents that the tool `task_run` delegates to */
  readonly agents?: readonly {
    /** Name of the template, as the agent writes it in agentTemplateId */
    readonly id: string;
    /** System prompt of the sub-agent; may hold {{placeholders}} */
    readonly system: string;
    /** When to choose it, as the agent reads it */
    readonly when_to_use?: string;
    /** Its tools, written like those of a suite; a name may be that of a tool of the suite, and a name or glob that of tools of its MCP servers */
    readonly tools?: readonly (string | ToolConfig)[];
    /** Its model: an ID, provider:model, or both apart; that of the agent which delegates if left out */
    readonly model?: string | {
      /** Name of the provider */
      readonly provider: string;
      /** Name of the model, as the provider has it */
      readonly model: string;
    };
    /** Where delegation ends */
    readonly subagents?: SubagentsConfig;
  }[];
  /** Folder of the skills that the tool `skills` loads, each a folder with a SKILL.md; relative to the file */
  readonly skills?: string | SkillsConfig;
  /** Values for all suites and tests that do not set their own */
  readonly defaults?: {
    /** Models to run on: ids of `models`, or provider:model */
    readonly models?: readonly string[];
    /** The model that judges where an assertion asks for a judge and names none: an id of models, or provider:model */
    readonly judge?: string;
    /** The embedding model, for assertions with method embedding that name none: an id of models, or provider:model */
    readonly embedder?: string;
    /** Trials per case, or { min, max }: more than min while the comparison with the baseline is inconclusive. Default: 1 */
    readonly runs?: number | RunsConfig;
    /** Passing trials that a case needs (all): a number, or k/n where n is `runs` */
    readonly pass?: number | string;
    /** Ends a case when its verdict is certain; such cases take no part in rates and baselines. Default: false */
    readonly early_end?: boolean | {
      /** A sequential probability ratio test, which may end a case before pass is decided */
      readonly sprt: SprtConfig;
    };
    /** Trials that run at the same time. Default: 8 */
    readonly concurrency?: number;
    /** Seeds every random choice, so that a run can be repeated. Default: 1 */
    readonly seed?: number;
    /** What must hold after each trial; those of test, suite and defaults add up */
    readonly assert?: readonly AssertionConfig<Placeholder>[];
  };
  /** Values for {{placeholders}}; those of a test win over those of its suite and of the run */
  readonly vars?: { readonly [key: string]: unknown };
  /** How a failed call to a provider is tried again */
  readonly retry?: "default" | "conservative" | "aggressive" | "production" | "disabled" | {
    /** Where the values come from that are not written here */
    readonly preset?: "default" | "conservative" | "aggressive" | "production" | "disabled";
    /** All attempts, the first included */
    readonly max_attempts?: number;
    /** Wait before the second attempt */
    readonly initial_delay?: string | 0;
    /** The longest wait between two attempts */
    readonly max_delay?: string | 0;
    /** By how much each wait is longer than the one before */
    readonly multiplier?: number;
    /** Random extra wait, as a share of the wait */
    readonly jitter?: number;
    /** Further HTTP statuses that are tried again */
    readonly statuses?: readonly number[];
    /** Regular expressions on the error's body that allow another try */
    readonly patterns?: readonly string[];
    /** A server that asks for a longer wait fails the call immediately */
    readonly max_retry_after?: string | 0;
    /** All attempts and waits together may take this long */
    readonly total?: string | 0;
  };
  /** When calls to a server that keeps failing are refused without a request; false for never */
  readonly circuit_breaker?: false | {
    /** Failed attempts in a row that open the circuit. Default: 5 */
    readonly failures?: number;
    /** After which one call may try whether the server is back. Default: 60s */
    readonly reset?: string | 0;
  };
  /** Models that answer in its place, in this order, while it is down or limits the rate */
  readonly fallback?: readonly string[];
  /** Lets `fallback` answer for a model under test too (false); such cases are marked */
  readonly allow_fallback?: boolean;
  /** The most requests that begin within any minute */
  readonly requests_per_minute?: number;
  /** The most tokens, of input and output, that are used within any minute */
  readonly tokens_per_minute?: number;
  /** Asks for answers in pieces, which gives the time to the first token. Default: false */
  readonly stream?: boolean;
  /** Deadlines; the nearest level that sets one wins */
  readonly timeouts?: {
    /** Until the connection to a provider stands. Default: 10s */
    readonly connect?: string | 0;
    /** Until the first byte of a reply. Default: 60s */
    readonly headers?: string | 0;
    /** The longest pause within a reply. Default: 30s */
    readonly idle?: string | 0;
    /** One request to a provider, start to end. Default: 60s */
    readonly request?: string | 0;
    /** One call of a tool. Default: 60s */
    readonly tool?: string | 0;
    /** One trial, all its requests and tool calls. Default: 5m */
    readonly trial?: string | 0;
    /** The whole run. Default: no limit */
    readonly run?: string | 0;
  };
  /** What a trial and the run may use up */
  readonly limits?: {
    /** Requests to the model per user message. Default: 10 */
    readonly max_turns?: number;
    /** Tool calls per trial. Default: 50 */
    readonly max_tool_calls?: number;
    /** US dollars that one trial may cost. Default: no limit */
    readonly max_trial_cost?: number;
    /** US dollars that the run may cost. Default: no limit */
    readonly max_cost?: number;
  };
  /** Conditions on the whole run */
  readonly gates?: {
    /** Least share of cases that must pass. Cases errored from outside and those with allow_failure do not count. Needs exit_on: gates. */
    readonly pass_rate?: number;
    /** Least share of cases with retry_until that must pass without a rejected answer. */
    readonly first_try?: number;
    /** Least mean score of all judge assertions, over all trials and within groups. Fails if no judge gave a score. */
    readonly judge_avg?: number;
    /** Most cases that may be errored. */
    readonly errored?: number;
    /** Most US dollars that it may cost, judges and simulated users included. Fails if a price is unknown. */
    readonly cost?: number;
    /** Highest 95th percentile of the latency of trials. */
    readonly latency_p95?: string | 0;
    /** Most tool calls that may end in an error: of all types together, or by type. */
    readonly tool_errors?: number | {
      /** Arguments that break the tool's schema, and tools that do not exist */
      readonly validation?: number;
      /** The tool threw */
      readonly runtime?: number;
      /** The tool said that it failed */
      readonly logical?: number;
      /** Timeouts and interruptions */
      readonly aborted?: number;
      /** Failures around the tool */
      readonly exception?: number;
    };
    /** Least mean pass rate, without attacks, of the cases that prompt injection attacks. Needs exit_on: gates. */
    readonly utility?: number;
    /** Least share of attacked trials in which the task is done, mean over the cases. Needs exit_on: gates. */
    readonly utility_under_attack?: number;
    /** Most of the attacked trials in which an attack may reach its goal, mean over the cases. Needs exit_on: gates. */
    readonly attack_success_rate?: number;
    /** Most cases that may be flagged as worse than the baseline. A critical case that is worse and a suite that is regressed always fail the gate. */
    readonly regressions?: number;
    /** Whether a comparison with the baseline that cannot decide passes or fails. In results, the gate is called inconclusive. Default: pass. */
    readonly on_inconclusive?: "pass" | "fail";
    /** Highest growth of the cost of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly cost_increase?: number;
    /** Highest growth of the tokens of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly tokens_increase?: number;
    /** Highest growth of the latency of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly latency_increase?: number;
    /** Highest growth of the turns of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly turns_increase?: number;
    /** Highest growth of the tool calls of a trial against the baseline in any suite, in percent; growth within chance passes. */
    readonly tool_calls_increase?: number;
    /** By arm, how much its mean pass rate must be above that of the first arm, with 95% certainty: 0 asks for a better one, −0.05 for one that is at most 5 points worse. */
    readonly arms?: { readonly [key: string]: number };
  };
  /** How runs are compared with the baselines of their suites */
  readonly baseline?: {
    /** The probability of chance from which on a suite counts as regressed. Default: 0.05 */
    readonly alpha?: number;
    /** The drop of the pass rate that does not matter, from 0 to 1. Default: 0.05 */
    readonly margin?: number;
  };
  /** Your modules that are notified of failures and ends, or can change or block tool calls; called in this order */
  readonly plugins?: readonly (string | {
    /** File and export of the plugin, such as ./plugins/alert.ts#alert; without # its default export */
    readonly module: string;
    /** Options of the plugin; ${NAME} stands for an environment variable */
    readonly with?: unknown;
    /** How long a call of a hook is waited for. Default: 5s */
    readonly timeout?: string | 0;
  })[];
  /** Your modules that register assertion types, providers, targets, and reporters */
  readonly extensions?: readonly string[];
  /** Whether answers of models and tools are recorded (record), replayed (replay), or both (auto). --cassette overrides it. Default: off */
  readonly cassette?: "auto" | "record" | "replay" | "off";
  /** What decides about failed tests: each one fails the run (tests), or the gates that read failures decide (gates). Default: tests. */
  readonly exit_on?: "tests" | "gates";
  /** How many runs stay under .kindlm/runs: the oldest ones beyond it are removed after each run. Default: 100 */
  readonly keep_runs?: number | "all";
  /** Globs of the code behind targets and tools. In watch mode, a change in these files runs the tests with such targets or tools again. Not part of the identity of a case */
  readonly watch?: readonly string[];
  /** Allows paths that leave the folder of the config */
  readonly allow_outside?: boolean;
  /** The results server for uploads */
  readonly upload?: {
    /** Its address */
    readonly server?: string;
    /** Default: project */
    readonly project?: string;
    /** Sent in addition to measurements */
    readonly include?: readonly ("messages" | "transcripts")[];
  };
  /** The agents under test: suites, or paths and globs of files that hold one each */
  readonly suites: readonly (string | SuiteConfig)[];
  /** Left alone. */
  readonly [note: `x-${string}`]: unknown;
}
