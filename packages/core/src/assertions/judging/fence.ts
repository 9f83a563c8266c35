import { fenceNameOf } from "../../values/fence-name.js";

/** Encloses material in a judge's prompt, so that nothing in it can be taken for a word to the judge. */
export interface Fence {
  /** The name of its tags. */
  name: string;
  /** `label` becomes an attribute of the opening tag, such as `by="user"`. */
  around(label: string, text: string): string;
}

/**
 * A fence for these strings. Its name is a hash of all of them, so none of them can contain it, and the same question
 * has the same words again, by which recordings are found. Anything that looks like the fence in a string is removed all
 * the same.
 */
export function createFence(texts: readonly string[]): Fence {
  const name = fenceNameOf(texts);
  const disarm = (text: string): string => text.replaceAll(new RegExp(name, "gi"), "(fence)");
  return {
    name,
    around: (label, text) => `<${name}${label === "" ? "" : ` ${disarm(label)}`}>\n${disarm(text)}\n</${name}>`,
  };
}

/** A value in an attribute of a tag: on one line, and without what would end it. */
export function attribute(name: string, value: string): string {
  return `${name}=${JSON.stringify(value).replaceAll(/[<>]/g, "")}`;
}
