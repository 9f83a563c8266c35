import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";

/** What the cells of a column are read as. */
export const columnTypes = ["string", "number", "boolean", "json"] as const;
export type ColumnType = (typeof columnTypes)[number];

/** `dataset:` of a test: a file, or a file of separated values with what its cells are. */
export const datasetSchema = z
  .union([
    z.string().min(1),
    strictObject({
      file: z
        .string()
        .min(1)
        .describe("The file")
        .meta({ examples: ["data/orders.csv"] }),
      columns: z
        .record(z.string(), z.enum(columnTypes))
        .optional()
        .describe("Types of the columns of a csv file. Cells of other columns are strings")
        .meta({ examples: [{ total: "number", express: "boolean", items: "json" }] }),
      delimiter: z
        .string()
        .regex(/^[^"\r\n]$/, { error: "A delimiter is one character, and no quotation mark or line break" })
        .optional()
        .describe("The character between the cells of a csv file (,)")
        .meta({ examples: [";"] }),
    }),
  ])
  .describe(
    "A csv, jsonl, json or yaml file; one case per row. Cells of csv files are strings unless columns has their type",
  )
  .meta({ examples: ["data/cities.csv", { file: "data/orders.csv", columns: { total: "number" }, delimiter: ";" }] });

export type WrittenDataset = z.output<typeof datasetSchema>;
