import { hash } from "node:crypto";

const accepted = /^[a-zA-Z0-9]{9}$/;

/**
 * An id as the API takes it back: nine letters or digits. Ids of another provider's history, or of a config, are
 * translated, each always to the same.
 */
export function toMistralCallId(id: string): string {
  return accepted.test(id) ? id : hash("sha256", id, "hex").slice(0, 9);
}
