import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { parseMatcher } from "../../matchers/parse-matcher.js";
import type { Matcher } from "../../matchers/matcher.js";
import { argsOf } from "../../transcript/args-of.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { ApprovalRequest, PermissionDecision } from "../../transcript/permission-decision.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { isTemplate, renderTemplate } from "../../values/template.js";
import type { ToolConfig } from "../tool-config.js";
import type { AnswerScope, CallAudit, HandlerOutcome } from "../tool-handler.js";
import type { BeforeCall } from "../tool-hooks.js";
import type { ToolAttributes } from "../tool-runtime.js";
import { permissionLists, type Approval, type CallPattern, type Permissions } from "./permission-schema.js";

/** What a test says about permissions. */
export interface PermissionSettings {
  permissions: Permissions;
  approvals: readonly Approval[];
}

export const everythingAllowed: PermissionSettings = {
  permissions: { mode: "auto", deny: [], ask: [], allow: [] },
  approvals: [],
};

/** What rules look at. */
type GatedCall = Pick<TrialToolCall, "tool" | "args" | "exactIntegers">;

/** What the settings say of a call before plugins are asked. `isSaid`: more than that everything is allowed. */
interface Ruling {
  decision: "allow" | "ask" | "deny";
  by: "mode" | "rule";
  rule: string;
  isSaid: boolean;
}

/** Decides which calls of one trial reach their tools. */
export class PermissionGate {
  readonly #settings: PermissionSettings;
  readonly #scope: AnswerScope;
  readonly #matchers = new Map<CallPattern, Matcher | null>();
  /** How many calls each approval was about so far. */
  readonly #asked = new Map<Approval, number>();

  constructor(settings: PermissionSettings, scope: AnswerScope) {
    this.#settings = settings;
    this.#scope = scope;
  }

  /**
   * The outcome of a call that does not reach its tool; null for one that does. What was decided is left in the audit.
   * A call that is denied by the settings is not shown to `askHooks`.
   */
  async enter(
    call: RequestedToolCall,
    attributes: ToolAttributes,
    audit: CallAudit,
    askHooks: () => Promise<BeforeCall | null>,
  ): Promise<HandlerOutcome | null> {
    const { by, rule, decision, isSaid } = this.#judge(call, attributes);
    if (decision === "deny") {
      audit.permission = { decision: "denied", by, rule };
      return denied("Tool denied by policy");
    }
    const hooked = await askHooks();
    if (hooked !== null && "outcome" in hooked) {
      if (hooked.isDenial) audit.permission = { decision: "denied", by: "hook", rule: hooked.plugin };
      return hooked.outcome;
    }
    if (hooked?.says === "ask") {
      const { plugin, reason } = hooked;
      return this.#ask(call, audit, { by: "hook", rule: plugin, ...(reason === null ? {} : { reason }) });
    }
    if (decision === "allow") {
      if (isSaid) audit.permission = { decision: "allowed", by, rule };
      return null;
    }
    if (hooked === null) return this.#ask(call, audit, { by, rule });
    audit.permission = { decision: "allowed", by: "hook", rule: hooked.plugin };
    return null;
  }

  /** Whether the rules and the mode let the call through, whatever plugins and approvals say. */
  isAllowed(call: GatedCall, attributes: ToolAttributes): boolean {
    return this.#judge(call, attributes).decision === "allow";
  }

  #judge(call: GatedCall, { readonly }: ToolAttributes): Ruling {
    const { permissions } = this.#settings;
    for (const decision of permissionLists) {
      const found = permissions[decision].find((pattern) => this.#matches(pattern, call));
      if (found !== undefined)
        return { decision, by: "rule", rule: `${decision}: ${this.#describe(found)}`, isSaid: true };
    }
    const { mode } = permissions;
    const decision = mode === "auto" ? "allow" : mode === "approval" ? "ask" : readonly ? "allow" : "deny";
    return { decision, by: "mode", rule: mode, isSaid: mode !== "auto" };
  }

  #ask(call: RequestedToolCall, audit: CallAudit, asked: ApprovalRequest): HandlerOutcome | null {
    const { approvals } = this.#settings;
    const about = approvals.filter((approval) => this.#matches(approval, call));
    for (const approval of about) this.#asked.set(approval, (this.#asked.get(approval) ?? 0) + 1);
    const given = about.find((approval) => approval.call === null || approval.call === this.#asked.get(approval));
    if (given === undefined) {
      audit.permission = { decision: "pending", by: asked.by, id: call.id, asked };
      return { ok: false, failure: { errorType: "aborted", message: "The call waits for an approval" } };
    }
    const { decision, note } = given;
    const permission: PermissionDecision = {
      decision: decision === "approve" ? "approved" : "denied",
      by: "approval",
      id: call.id,
      approval: approvals.indexOf(given) + 1,
      asked,
    };
    audit.permission = note === null ? permission : { ...permission, note };
    return decision === "approve" ? null : denied(note ?? asked.reason ?? "Denied by approval");
  }

  #matches(pattern: CallPattern, call: GatedCall): boolean {
    if (!matchesNameGlob(pattern.tool, call.tool)) return false;
    return this.#matcherOf(pattern)?.match(argsOf(call) ?? {}).pass ?? true;
  }

  #describe(pattern: CallPattern): string {
    const args = this.#matcherOf(pattern);
    return args === null ? pattern.tool : `${pattern.tool} with ${args.describe(60)}`;
  }

  /** With the values of the case; null for any arguments. */
  #matcherOf(pattern: CallPattern): Matcher | null {
    const known = this.#matchers.get(pattern);
    if (known !== undefined) return known;
    const { args } = pattern;
    const matcher = args === null || !isTemplate(args.source) ? args : fillIn(args, this.#scope);
    this.#matchers.set(pattern, matcher);
    return matcher;
  }
}

/** The placeholders were checked with the config, so what cannot be filled in matches as it is written. */
function fillIn(matcher: Matcher, scope: AnswerScope): Matcher {
  const filled = renderTemplate(matcher.source, { values: scope });
  const parsed = filled.success ? parseMatcher(filled.data) : filled;
  return parsed.success ? parsed.data : matcher;
}

/** The agent cannot change the decision, so the same call is not worth another try. */
function denied(message: string): HandlerOutcome {
  return { ok: false, failure: { errorType: "logical", message, retryable: false } };
}

/**
 * A program that runs its own tools runs them without asking anybody: the error of a trial in which it ran one that
 * `permissions` do not let through. Such a trial proves nothing about them. Null if there is none.
 */
export function decideUnenforced(
  permissions: Permissions,
  scope: AnswerScope,
  tools: readonly ToolConfig[],
  toolCalls: readonly TrialToolCall[],
): KindlmError | null {
  const gate = new PermissionGate({ permissions, approvals: [] }, scope);
  const attributesOf = (name: string): ToolAttributes => {
    const tool = tools.find((one) => one.name === name);
    return tool !== undefined && "attributes" in tool ? tool.attributes : { readonly: false, no_effect: false };
  };
  const unasked = toolCalls.find((call) => call.ranBy === "agent" && !gate.isAllowed(call, attributesOf(call.tool)));
  if (unasked === undefined) return null;
  const message = `The permissions of the test do not let ${unasked.tool} run, but the agent ran its own, which they do not reach`;
  return kindlmError("ENGINE_FIXTURE_ERROR", message);
}
