import { strictObject } from "../../../schema-parts/strict-object.js";
import * as z from "../../../values/deferred-zod.js";

const folderSchema = z.string().min(1);

/** `skills:` of a suite or test, and of the top level. */
export const skillsSchema = z
  .union([
    folderSchema,
    strictObject({
      folder: folderSchema.describe("The folder, relative to the file (.skills)").optional(),
      only: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe("Names of the skills that there are for the agent; all if left out"),
    }),
  ])
  .describe("Folder of the skills that the tool `skills` loads, each a folder with a SKILL.md; relative to the file")
  .meta({ examples: [".skills", { only: ["release-notes"] }] });

export type WrittenSkills = z.output<typeof skillsSchema>;
