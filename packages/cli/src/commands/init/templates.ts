/** A project that `kindlm init` can write: its files are in the folder `templates/<name>` of this package. */
export interface Template {
  name: string;
  /** What it is for, as an answer to "What do you want to test?". */
  does: string;
  /** The key of `defaults` that names the model to choose; null for an agent that brings its own. */
  chosenModel: "models" | "judge" | null;
  /** An edit after which a test fails. */
  mistake: { file: string; from: string; to: string };
}

/** In the order of the question, the default first. A new one joins by its folder and its entry. */
export const templates = [
  {
    name: "agent",
    does: "An agent with tools: a prompt, a model, and simulated tools",
    chosenModel: "models",
    mistake: {
      file: "scripts/order-agent.yaml",
      from: "{ text: Shall I really cancel order ORD-1? }",
      to: "{ tool_calls: [{ tool: cancel_order, args: { order_id: ORD-1 } }] }",
    },
  },
  {
    name: "http",
    does: "An HTTP service that is your agent",
    chosenModel: null,
    mistake: { file: "server.mjs", from: '"ORD-1": "delivered"', to: '"ORD-1": "lost"' },
  },
  {
    name: "command",
    does: "A program that is your agent",
    chosenModel: null,
    mistake: { file: "agent.mjs", from: "was delivered this morning", to: "is on its way" },
  },
  {
    name: "mcp",
    does: "An MCP server, with an agent that uses it",
    chosenModel: "models",
    mistake: { file: "server.mjs", from: "Buy two liters of milk", to: "Buy bread" },
  },
  {
    name: "chat",
    does: "A conversation, with messages you write or a simulated user",
    chosenModel: "models",
    mistake: { file: "scripts/shop-assistant.yaml", from: "Which order do you mean?", to: "I cannot do that." },
  },
  {
    name: "judge",
    does: "The quality of answers, scored by a judge",
    chosenModel: "judge",
    mistake: { file: "scripts/support.yaml", from: "I am sorry. ", to: "That is not our fault. " },
  },
] as const satisfies readonly Template[];

export const templateNames = templates.map(({ name }) => name);

/** A real model for a template, by the variable of its key. */
export interface RealModel {
  key: string;
  id: string;
  provider: string;
  model: string;
}

export const realModels: readonly RealModel[] = [
  { key: "OPENAI_API_KEY", id: "gpt", provider: "openai", model: "gpt-4.1-mini" },
  { key: "ANTHROPIC_API_KEY", id: "claude", provider: "anthropic", model: "claude-haiku-4-5" },
  { key: "GEMINI_API_KEY", id: "gemini", provider: "gemini", model: "gemini-2.5-flash" },
  { key: "MISTRAL_API_KEY", id: "mistral", provider: "mistral", model: "mistral-small-latest" },
];
