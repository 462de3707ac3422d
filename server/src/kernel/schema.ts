// The only schema language: JSON Schema by TypeBox, kept to the words OpenAPI 3.0.3 can say. Contracts build
// with these helpers alone, so that one object is static type, validation, response filter and document.
// A schema with a title is a named component of the OpenAPI document.
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

export type { Static, TSchema };
export type Schema = TSchema;

// Aliases, not interfaces: only aliases fit the index signature of TypeBox's options.
export type Facets = {
  title?: string;
  description?: string;
  default?: unknown;
  /** Values of an enum that are additions of ours; `x-extra` in the document. */
  extra?: readonly string[];
};
type TextFacets = Facets & {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: 'date-time' | 'uri' | 'email';
};
type NumberFacets = Facets & { minimum?: number; maximum?: number; format?: 'int32' | 'int64' | 'double' };

/** Largest id on the wire and in the tables (a signed 32-bit integer). */
export const MAX_ID = 2147483647;

export const text = (facets: TextFacets = {}) => Type.String(facets);
export const integer = (facets: NumberFacets = {}) => Type.Integer(facets);
export const number = (facets: NumberFacets = {}) => Type.Number(facets);
export const boolean = (facets: Facets = {}) => Type.Boolean(facets);
export const list = <T extends TSchema>(
  items: T,
  facets: Facets & { minItems?: number; maxItems?: number } = {},
) => Type.Array(items, facets);
export const object = <T extends TProperties>(properties: T, facets: Facets = {}): TObject<T> =>
  Type.Object(properties, facets);
/** An object that the document names, so that others refer to it. */
export const component = <T extends TProperties>(title: string, properties: T, facets: Facets = {}) =>
  object(properties, { title, ...facets });
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/**
 * What cannot be seen, as the inside of a character class: control, direction and zero-width characters and fillers.
 * The joiners of scripts and emoji (U+200C, U+200D) are no part of it.
 */
export const HIDDEN_CHARACTERS =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
export const VISIBLE_TEXT = `^[^${HIDDEN_CHARACTERS}]*$`;

/** A name that people read, by the rule of clean-name.ts, which validation applies and which trims it. */
export const displayName = (facets: TextFacets = {}) =>
  Type.String({ minLength: 1, maxLength: 255, ...facets, pattern: VISIBLE_TEXT });

/** An RFC 3339 time in UTC with Z, as text. */
export const timestamp = (facets: Facets = {}) => Type.String({ ...facets, format: 'date-time' });

/** An id of a row: an integer from 1 to 2³¹−1. */
export const id = (facets: Facets = {}) => Type.Integer({ ...facets, minimum: 1, maximum: MAX_ID });

/** The same where clients hold it as a 64-bit integer. */
export const longId = (facets: Facets = {}) =>
  Type.Integer({ ...facets, minimum: 1, maximum: MAX_ID, format: 'int64' });

/** Several ids in one parameter of a query. */
export const idList = (facets: Facets = {}) => text({ ...facets, pattern: '^[0-9]+(,[0-9]+)*$' });

/** A byte count: an integer that may pass 2³². */
export const bytes = (facets: Facets = {}) => Type.Integer({ ...facets, format: 'int64' });

export const oneOf = <const T extends readonly string[]>(values: T, facets: Facets = {}) =>
  Type.Unsafe<T[number]>({ ...facets, type: 'string', enum: [...values] });

/** Required on the wire, but may be null: "not known" is said, never guessed. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, nullable: true });

/** A member that is an addition of ours to what clients may rely on elsewhere; `x-extra` in the document. */
export const ours = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ ...schema, extra: true });

/** A map from any name to one kind of value. */
export const record = <T extends TSchema>(values: T, facets: Facets = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ ...facets, type: 'object', additionalProperties: values });

/** Any JSON object; for the OpenAPI document itself. */
export const anyObject = (facets: Facets = {}) =>
  Type.Unsafe<Record<string, unknown>>({ ...facets, type: 'object', additionalProperties: true });

/** Any JSON value, null too. */
export const anyValue = (facets: Facets = {}) => Type.Unsafe<unknown>({ ...facets, any: true });

/** An object that keeps, as they came, the members that are not declared. */
export const openObject = <T extends TProperties>(properties: T, facets: Facets = {}): TObject<T> =>
  Type.Object(properties, { ...facets, additionalProperties: true });

/** One of several shapes. */
export const anyOf = <T extends TSchema[]>(schemas: [...T], facets: Facets = {}) =>
  Type.Unsafe<Static<T[number]>>({ ...facets, anyOf: schemas });

/**
 * A named object that holds others of its own kind, such as a tree; `build` gets the schema that it describes. For
 * replies only.
 */
export function recursive<T>(title: string, build: (self: TSchema) => TSchema) {
  const self = Type.Unsafe<T>({});
  return Object.assign(self, build(self), { title });
}
