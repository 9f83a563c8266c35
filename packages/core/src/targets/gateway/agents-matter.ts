/**
 * Whether an error of the model is one that agents deal with, such as a conversation that has become too long: it is the
 * answer to what they sent, and its words tell them what to do.
 */
export function isAgentsMatter(status: number | undefined): boolean {
  return status === 400 || status === 413 || status === 422;
}
