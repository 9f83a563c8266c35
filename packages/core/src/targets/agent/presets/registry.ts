import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { geminiCli } from "./gemini-cli.js";
import { opencode } from "./opencode.js";
import type { AgentPreset } from "./preset.js";

/** Every coding agent that KindLM knows; a new one joins with a line here. */
export const agentPresets: readonly [AgentPreset, ...AgentPreset[]] = [claudeCode, codex, geminiCli, opencode];
