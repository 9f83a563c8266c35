import type { SeenChange } from "../../workspace/seen-change.js";

/**
 * A file that the agent has read or written was changed by something else than its file tools: another program, a
 * command that it ran, or a fault.
 */
export type FileChangedEvent = { channel: "monitor"; type: "file_changed" } & SeenChange;
