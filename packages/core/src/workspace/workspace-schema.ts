import path from "node:path";
import { excludes } from "../schema-parts/key-rules.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { deadlineSchema } from "../schema-parts/duration-schema.js";
import { keepRules } from "./workspace-config.js";
import * as z from "../values/deferred-zod.js";
import { parseSize, sizePattern } from "../values/size.js";

/** `500 MB` or `1GiB`; yields bytes. */
const sizeSchema = z
  .string()
  .meta({ pattern: sizePattern })
  .transform((text, context) => {
    const bytes = parseSize(text);
    if (bytes !== null) return bytes;
    context.addIssue({
      code: "custom",
      message: `"${text}" is not a valid size\nUse a number with a unit, such as 500MB`,
    });
    return z.NEVER;
  });

/** Path of a file in a workspace. */
export const workspacePath = z.string().refine((name) => !leavesFolder(name), {
  error: "A file of a workspace must be a relative path that stays in it",
});

const filesSchema = z
  .record(workspacePath, z.string())
  .describe("Files by path with their text; with `from` or `git`, they replace the files there")
  .meta({ examples: [{ "src/sum.js": "export const sum = (a, b) => a - b;\n" }] });

const gitSchema = strictObject({
  repository: z.string().min(1).describe("Folder of the repository, bare or not, relative to the file"),
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, { error: "A commit is its ID of 7 or more hexadecimal digits: a branch would move" })
    .describe("ID of the commit to check out"),
}).describe("A clone of a repository at a commit, with its history");

const variableName = z.string().regex(/^[^=\0]+$/, { error: "A variable name must not be empty or contain =" });

const envSchema = z
  .union([z.array(variableName), z.record(variableName, z.string())])
  .describe("Environment variables of its commands: names to pass on, or names with values; ${NAME} reads one")
  .meta({ examples: [["CI"], { NODE_ENV: "test" }] });

const limitsSchema = strictObject({
  size: sizeSchema.optional().describe("What they add to the disk. Default: 1 GB"),
  files: z.int().min(0).optional().describe("Files, folders and links that they add. Default: 100000"),
  processes: z.int().min(1).optional().describe("Processes at a time. Default: 200"),
  time: deadlineSchema.optional().describe("How long they run, all together. Default: no limit"),
})
  .describe("What its commands can use up; a trial that exceeds a limit ends")
  .meta({ examples: [{ size: "500MB", processes: 50 }] });

/** `workspace:` of a suite or test. */
export const workspaceSchema = z
  .union([
    z.literal(false),
    strictObject({
      files: filesSchema.optional(),
      from: z
        .string()
        .min(1)
        .optional()
        .describe("Folder that is copied for each trial, relative to the file")
        .meta({ examples: ["fixtures/shop"] }),
      git: gitSchema.optional(),
      env: envSchema.optional(),
      keep: z
        .enum(keepRules)
        .optional()
        .describe("When the folder stays after its trial; its path is in the report (never)"),
      sandbox: z
        .boolean()
        .optional()
        .describe("Whether its commands run in a sandbox, if the machine can have one (true)"),
      limits: limitsSchema.optional(),
      network: z.boolean().optional().describe("Whether its commands can use the network from the sandbox (false)"),
    }).meta({ dependencies: excludes({ git: ["from"] }) }),
  ])
  .describe("A fresh folder for each trial, which the agent's tools and commands work in; false for none")
  .meta({ examples: [{ from: "fixtures/shop", keep: "on_failure" }] });

export type WrittenWorkspace = z.output<typeof workspaceSchema>;

/** Whether a path of a workspace is absolute, names its root, or goes above it. */
function leavesFolder(name: string): boolean {
  const plain = path.posix.normalize(name.replaceAll("\\", "/"));
  return (
    plain === "." ||
    plain === ".." ||
    plain.startsWith("../") ||
    path.posix.isAbsolute(plain) ||
    /^[a-z]:/i.test(plain) ||
    name.includes("\0")
  );
}
