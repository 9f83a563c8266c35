import type { Result } from "../result.js";
import type { UserMessage } from "../transcript/message.js";

/** Gives the agent a message and waits for its whole answer. */
export type SendMessage = (message: UserMessage | null) => Promise<Result<void>>;
