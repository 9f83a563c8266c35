import type { KindlmError } from "../../errors/kindlm-error.js";
import type { ResolvedModel } from "../../config/resolved-model.js";
import type { PlannedCase, RenderedCase } from "../../plan/run-plan.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import { ModelSession } from "../../targets/model/model-session.js";
import type { SessionSettings, Transcript } from "../../targets/target.js";
import type { AgentTemplate, SubagentLimits } from "../../tools/builtin/task/agents-config.js";
import type { Delegate, Task } from "../../tools/builtin/task/delegate.js";
import { refuse } from "../../tools/builtin/builtin-tool.js";
import type { HandlerContext, HandlerOutcome } from "../../tools/tool-handler.js";
import { createRandom, hashText } from "../../values/random.js";
import type { SubAgentTools, TrialTools } from "../create-tool-opener.js";
import type { RunContext } from "../run-context.js";
import type { TrialRef } from "../run-event.js";
import type { SimulatedUser } from "../simulated-user/simulated-user.js";
import { pauseAtMissingApproval } from "../pause/conversation-pause.js";
import type { UserMessage } from "../../transcript/message.js";
import { remindOfTodos } from "../todo-reminders/remind-of-todos.js";
import { watchFiles } from "../trial-workspace/watch-files.js";
import { withinTrial } from "../within-trial.js";
import { delegationRecord, outcomeOf } from "./delegation-record.js";
import { listenToSubAgent, withPermissionIds } from "./listen-to-sub-agent.js";

/** An agent that may delegate. */
interface Delegating {
  /** The templates from the agent under test down to it; empty for that. */
  path: readonly string[];
  limits: SubagentLimits;
  /** How many levels may still be below it. */
  depth: number;
  /** Null if it asks no model of the config. */
  model: ResolvedModel | null;
  route(): Result<ModelRoute | null>;
  tools: SubAgentTools | null;
}

/** Who answers in a delegated conversation. */
interface Chosen {
  model: ResolvedModel | null;
  route: ModelRoute;
}

type Place = { ref: TrialRef; seed: number };

/** The sub-agents of a trial; null if its agent does not delegate. `seed` is that of the trial. */
export function openDelegations(
  planned: PlannedCase,
  rendered: RenderedCase,
  place: Place,
  run: RunContext,
): Delegations | null {
  const { agents: templates } = rendered;
  return templates === undefined ? null : new Delegations(planned, templates, place, run);
}

/**
 * Holds the conversations with the sub-agents of a trial. They are like that of the agent under test: the same models
 * and limits, the same workspace. What they cost and call counts in the trial.
 */
export class Delegations {
  /** Of the agent under test. */
  readonly delegate: Delegate;
  readonly #planned: PlannedCase;
  readonly #templates: ReadonlyMap<string, AgentTemplate>;
  readonly #place: Place;
  readonly #run: RunContext;
  readonly #transcripts: Transcript[] = [];
  readonly #calls = { count: 0 };
  #tools: TrialTools | null = null;
  #simulator: Pick<SimulatedUser, "spentUsd"> | null = null;
  #begun = 0;

  constructor(planned: PlannedCase, templates: ReadonlyMap<string, AgentTemplate>, place: Place, run: RunContext) {
    this.#planned = planned;
    this.#templates = templates;
    this.#place = place;
    this.#run = run;
    const limits = planned.test.agents?.subagents ?? { depth: null, templates: null };
    this.delegate = this.#delegateOf({
      path: [],
      limits,
      depth: limits.depth ?? 0,
      model: planned.model,
      route: () => run.routeOf(planned),
      tools: null,
    });
  }

  /** To be called before the first delegation. */
  useTools(tools: TrialTools): void {
    this.#tools = tools;
  }

  /** Counts what the agent under test costs towards the limit of the trial. */
  follow(transcript: Transcript): void {
    this.#transcripts.push(transcript);
  }

  /** Makes the limits of the agent under test those of the trial. */
  share(settings: SessionSettings, simulator: Pick<SimulatedUser, "spentUsd"> | null): void {
    this.#simulator = simulator;
    settings.toolCalls = this.#calls;
    settings.otherCostUsd = () => this.#spentBeside(this.#transcripts[0]);
  }

  /** US dollars that all others have cost, as far as prices are known. */
  #spentBeside(own: Transcript | undefined): number {
    const others = this.#transcripts.filter((transcript) => transcript !== own).flatMap(({ turns }) => turns);
    return others.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), this.#simulator?.spentUsd ?? 0);
  }

  #delegateOf(agent: Delegating): Delegate {
    const { templates: allowed } = agent.limits;
    const templates = [...this.#templates.values()].filter(({ id }) => allowed?.includes(id) ?? true);
    return {
      templates: templates.map(({ id, whenToUse }) => ({ id, whenToUse })),
      run: (task, context) => this.#carryOut(agent, task, context),
    };
  }

  async #carryOut(agent: Delegating, task: Task, context: HandlerContext): Promise<HandlerOutcome> {
    const template = this.#templates.get(task.template);
    const choices = [...this.#templates.keys()].filter((id) => agent.limits.templates?.includes(id) ?? true);
    const others = `Templates: ${choices.join(", ") || "none"}`;
    if (template === undefined) return refuse(`Agent template '${task.template}' not found. ${others}`);
    if (!choices.includes(template.id)) {
      return refuse(`Agent template '${template.id}' is not allowed for this agent. ${others}`);
    }
    if (agent.depth < 1) return refuse("Sub-agent recursion limit reached. Do the task yourself");
    const chosen = this.#choose(agent, template, task);
    if (!chosen.success) return chosen.error;
    return this.#hold(agent, template, chosen.data, task, context);
  }

  /** What the task asks for, else what the template names, else what asks the agent that delegates. */
  #choose(agent: Delegating, template: AgentTemplate, task: Task): Result<Chosen, HandlerOutcome> {
    const { delegates, test } = this.#planned;
    if (task.model !== undefined && test.agents !== undefined && delegates !== undefined) {
      const found = test.agents.findModel(task.model, agent.model);
      if (!found.success) return failure(refuse(found.error));
      const route = this.#run.routeThrough(delegates.plan(found.data));
      // The agent chose it, and can choose another.
      return route.success ? success({ model: found.data, route: route.data }) : failure(refuse(route.error.message));
    }
    const chain = delegates?.models.get(template.id);
    const route = chain === undefined ? agent.route() : this.#run.routeThrough(chain);
    if (!route.success) return failure(brokenBy(route.error));
    if (route.data === null) return failure(refuse("There is no model for the sub-agent: name one"));
    return success({ model: chain?.[0].model ?? agent.model, route: route.data });
  }

  async #hold(
    agent: Delegating,
    template: AgentTemplate,
    { model, route }: Chosen,
    task: Task,
    context: HandlerContext,
  ): Promise<HandlerOutcome> {
    const path = [...agent.path, template.id];
    const own = template.subagents.depth ?? Number.POSITIVE_INFINITY;
    const child: Delegating = {
      path,
      limits: template.subagents,
      depth: Math.min(agent.depth - 1, own),
      model,
      route: () => success(route),
      tools: null,
    };
    const tools = this.#tools?.forSubAgent(template, this.#delegateOf(child), agent.tools);
    if (tools === undefined) return refuse("The tools of the trial are not open");
    if (!tools.success) return brokenBy(tools.error);
    child.tools = tools.data;
    const { signal, audit } = context;
    const pause = pauseAtMissingApproval(tools.data.runtime, { stopped: signal, isModel: true });
    const otherCostUsd = (): number => this.#spentBeside(session.transcript);
    const settings = { ...this.#settingsOf(path, template, tools.data), otherCostUsd };
    const session: ModelSession = new ModelSession(pause.watch(settings), route);
    this.#transcripts.push(session.transcript);
    const message: UserMessage = { role: "user", content: promptOf(task) };
    const held = Promise.resolve(withinTrial(() => pause.wrap(session).send(message, { signal })));
    audit.settled = held;
    const sent = await held;
    const ended = { sent, isPaused: pause.isEndedBy(sent) };
    audit.delegation = delegationRecord(template.id, route[0].endpoint.model, session.transcript, ended);
    return outcomeOf(audit.delegation, sent);
  }

  #settingsOf(
    path: readonly string[],
    { system }: AgentTemplate,
    { runtime, session }: SubAgentTools,
  ): SessionSettings {
    const { budget, clock, emit } = this.#run;
    const { ref, seed: ofTrial } = this.#place;
    this.#begun += 1;
    const number = this.#begun;
    const seed = hashText(`${ofTrial}\nsub_agent\n${number}`);
    const tools = withPermissionIds(runtime, number);
    const settings: SessionSettings = {
      budget,
      clock,
      random: createRandom(seed),
      listener: listenToSubAgent(emit, ref, path, number),
      system,
      history: [],
      tools: watchFiles(tools, session.desk?.pool.seen ?? null, (changed) =>
        emit({ ...changed, ...ref, role: "sub_agent", agent: path }),
      ),
      limits: this.#planned.limits,
      origin: { caseId: this.#planned.id, trial: ref.trial, seed },
      toolCalls: this.#calls,
      remind: remindOfTodos(this.#planned.test.todos, session.todos, ref, this.#run),
    };
    return settings;
  }
}

function brokenBy(error: KindlmError): HandlerOutcome {
  return { ok: false, failure: { errorType: "exception", message: error.message }, broken: true, brokenBy: error };
}

/** All that the sub-agent receives. */
function promptOf({ description, prompt, context }: Task): string {
  return `# Task: ${description}\n\n${prompt}${context === undefined ? "" : `\n\n# Additional context\n\n${context}`}`;
}
