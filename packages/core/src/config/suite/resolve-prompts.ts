import type { PromptVariant } from "../resolved-config.js";
import { readReference, type FileAccess } from "../file-references.js";
import { mapInSequence } from "../map-in-sequence.js";
import type { WrittenSuite } from "../schema/suite-schema.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import type { TemplateText } from "./check-placeholders.js";

export interface ResolvedPrompts {
  variants: readonly [PromptVariant, ...PromptVariant[]];
  texts: readonly TemplateText[];
}

interface WrittenPrompt {
  system_prompt?: string | undefined;
  system_prompt_file?: string | undefined;
}

/** The system prompt of a suite, or its variants, with the files read. */
export async function resolvePrompts(
  section: Section,
  suite: WrittenSuite,
  access: FileAccess,
): Promise<ResolvedPrompts> {
  const referencedIn = `suite "${suite.name}"`;
  const texts: TemplateText[] = [];
  const read = async (written: WrittenPrompt, at: Path): Promise<string | null> => {
    const { system_prompt: text, system_prompt_file: file } = written;
    if (text !== undefined && file !== undefined) {
      report(section, {
        path: [...at, "system_prompt_file"],
        atKey: true,
        message: '"system_prompt" and "system_prompt_file" cannot be combined',
      });
      return null;
    }
    if (file === undefined) {
      if (text !== undefined) texts.push({ value: text, section, path: [...at, "system_prompt"] });
      return text ?? null;
    }
    const path = [...at, "system_prompt_file"];
    const source = await readReference({ section, path, written: file, referencedIn }, access);
    if (!source.success) {
      section.findings.add(...source.error);
      return null;
    }
    texts.push({ value: source.data.text, section, path, source: source.data });
    return source.data.text;
  };

  const own: PromptVariant = { id: null, system: await read(suite, []) };
  if (suite.prompts === undefined) return { variants: [own], texts };
  if (own.system !== null) {
    report(section, {
      path: ["prompts"],
      atKey: true,
      message: '"prompts" and a system prompt of the suite cannot be combined',
    });
  }
  const ids = new Set<string>();
  const variants = await mapInSequence(suite.prompts, async (prompt, index): Promise<PromptVariant> => {
    const at = ["prompts", index];
    if (ids.has(prompt.id))
      report(section, { path: [...at, "id"], message: `The prompt ID "${prompt.id}" is already used` });
    ids.add(prompt.id);
    if (prompt.system_prompt === undefined && prompt.system_prompt_file === undefined) {
      const hint = "Add system_prompt or system_prompt_file";
      report(section, { path: at, message: `The prompt "${prompt.id}" has no text`, hint });
    }
    return { id: prompt.id, system: await read(prompt, at) };
  });
  const [first = own, ...rest] = variants;
  return { variants: [first, ...rest], texts };
}
