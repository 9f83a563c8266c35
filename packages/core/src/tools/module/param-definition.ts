/** What every short parameter definition may say. */
interface ParamCommon {
  description?: string;
  /** False for a parameter that may be left out; one with a `default` may be, too. */
  required?: boolean;
}

/** The short definition of one parameter. */
export type ParamDefinition =
  | (ParamCommon & { type: "string"; enum?: readonly string[]; default?: string })
  | (ParamCommon & { type: "number" | "integer"; enum?: readonly number[]; default?: number })
  | (ParamCommon & { type: "boolean"; default?: boolean })
  | (ParamCommon & { type: "array"; items: ParamDefinition; default?: readonly unknown[] })
  | (ParamCommon & { type: "object"; properties: ParamDefinitions; default?: Readonly<Record<string, unknown>> });

/** The parameters of a tool, by their names. */
export type ParamDefinitions = Readonly<Record<string, ParamDefinition>>;

type ValueOf<P extends ParamDefinition> = P extends { enum: readonly (infer Choice)[] }
  ? Choice
  : P extends { type: "string" }
    ? string
    : P extends { type: "number" | "integer" }
      ? number
      : P extends { type: "boolean" }
        ? boolean
        : P extends { type: "array"; items: infer Item extends ParamDefinition }
          ? ValueOf<Item>[]
          : P extends { properties: infer Members extends ParamDefinitions }
            ? ArgsOf<Members>
            : unknown;

/** Names of the parameters that may be missing when the tool is called: not required, and without a default. */
type OptionalNames<P extends ParamDefinitions> = {
  [Name in keyof P]: P[Name] extends { default: unknown } ? never : P[Name] extends { required: false } ? Name : never;
}[keyof P];

/** The arguments of a tool with these parameters, as its function gets them: defaults are filled in. */
export type ArgsOf<P extends ParamDefinitions> = {
  [Name in Exclude<keyof P, OptionalNames<P>>]: ValueOf<P[Name]>;
} & { [Name in OptionalNames<P>]?: ValueOf<P[Name]> };
