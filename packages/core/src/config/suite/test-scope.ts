import type { SkillsConfig } from "../../tools/builtin/skills/skills-config.js";
import type { McpServerConfig } from "../../tools/tool-config.js";
import type { ResolvedAgents } from "../resolved-agents.js";
import type { ResolvedTest } from "../resolved-config.js";
import type { WrittenSuite } from "../schema/suite-schema.js";
import type { Section } from "../source/section.js";
import type { WorkspaceConfig } from "../../workspace/workspace-config.js";
import type { TemplateText } from "./check-placeholders.js";
import type { NamedModel } from "./create-auxiliary-models.js";
import type { PreparedAssertion } from "./prepare-assertions.js";
import type { ResolvedPrompts } from "./resolve-prompts.js";
import type { WrittenTarget } from "./resolve-target.js";
import type { ResolvedTools } from "./resolve-tools.js";
import type { SuiteScope } from "./suite-scope.js";

/** What the tests of a suite have in common. */
export interface TestScope {
  scope: SuiteScope;
  suite: WrittenSuite;
  /** The suite. */
  section: Section;
  prompts: ResolvedPrompts;
  assertions: readonly PreparedAssertion[];
  tools: ResolvedTools;
  /** Null if its agent does not delegate. */
  agents: ResolvedAgents | null;
  /** Those of the agent and of all that it delegates to. */
  reachable: ResolvedTools;
  /** Their system prompts. */
  agentTexts: readonly TemplateText[];
  mcpServers: readonly McpServerConfig[];
  models: ResolvedTest["models"];
  /** `judge:` of the suite. */
  judge: NamedModel | null;
  /** `embedder:` of the suite. */
  embedder: NamedModel | null;
  /** Null for a model; undefined where the suite does not say. */
  target: WrittenTarget | null | undefined;
  /** Null for none; undefined where the suite does not say. */
  workspace: WorkspaceConfig | null | undefined;
  /** Absent if its tests need none. */
  skills: SkillsConfig | undefined;
}
