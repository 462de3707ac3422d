// A validator of OpenAPI 3.0.3 as strict as the standard's own clarification: `nullable` counts beside a `type` in the same schema
// alone, members beside a `$ref` count for nothing, and each part of an `allOf` has its say. Only the shape is judged: types, enums,
// members; no patterns, lengths or formats.
import { Ajv, type ValidateFunction } from 'ajv';

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const DOCUMENT = 'document';
const LISTS = ['anyOf', 'oneOf', 'allOf'] as const;

/** As JSON Schema says the same. */
function translated(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { $ref, type, nullable, properties } = schema;
  if (typeof $ref === 'string') return { $ref: `${DOCUMENT}${$ref}` };
  const parts = LISTS.flatMap((word) => {
    const list = schema[word];
    return Array.isArray(list) ? [[word, list.map(translated)]] : [];
  });
  const kept = ['required', 'enum'].flatMap((word) => (word in schema ? [[word, schema[word]]] : []));
  return {
    ...Object.fromEntries([...parts, ...kept]),
    ...(type !== undefined && { type: nullable === true ? [type, 'null'] : type }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, translated(member)]),
      ),
    }),
    ...('items' in schema && { items: translated(schema.items) }),
    ...('additionalProperties' in schema && {
      additionalProperties: translated(schema.additionalProperties),
    }),
  };
}

/** Of a document, validators of what stands at a place in it, which is given as names from the top. */
export function strictValidators(document: unknown): (place: readonly string[]) => ValidateFunction {
  const at = (place: readonly string[]) =>
    place.reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), document);
  const schemas = at(['components', 'schemas']);
  const components = Object.entries(isObject(schemas) ? schemas : {});
  const ajv = new Ajv({ strict: false });
  ajv.addSchema({
    $id: DOCUMENT,
    components: { schemas: Object.fromEntries(components.map(([name, one]) => [name, translated(one)])) },
  });
  return (place) => {
    const schema = translated(at(place));
    if (!isObject(schema)) throw new Error(`no schema at ${place.join(' ')}`);
    return ajv.compile(schema);
  };
}
