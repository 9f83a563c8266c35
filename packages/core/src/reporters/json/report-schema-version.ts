/** The version of the report's shape; `runResultJsonSchema` is its contract. */
export const reportSchemaVersion = 1;
