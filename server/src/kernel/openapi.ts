// OpenAPI 3.0.3 from operations: pure, deterministic, complete. The same schemas validate requests and cut replies,
// so this document cannot promise anything else. Titled schemas become named components.
import { type Access, ErrorResponse, faultStatuses, type Operation, SESSION_COOKIE } from './contract.ts';
import { failureOf, failureResponse, HEADERS, type Json, LINK } from './openapi-failures.ts';
import { nodeOf, type SchemaNode } from './schema-node.ts';

export interface ApiDescription {
  title: string;
  version: string;
  description: string;
  contact: { name: string };
  /** In the order of the document; every operation's tag must be here. */
  tags: readonly { name: string; description: string }[];
  operations: readonly Operation[];
  /** The path below which the server is reached; "/" when absent. */
  base_path?: string | undefined;
}

/** Only what is set, in a fixed order. */
function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

const onlyNull = (type: SchemaNode['type']): Json => ({ type, nullable: true, enum: [null] });

/**
 * What a reference stands for, or null. OpenAPI 3.0.3 lets `nullable` count beside a `type` in the same schema alone, and `allOf` asks
 * each of its parts: so null is a part of its own, and what reads `nullable` of the whole reads the truth there as well.
 */
const orNull = (type: SchemaNode['type'], reference: Json): Json =>
  present({ type, nullable: true, anyOf: [reference, onlyNull(type)] });

class Components {
  readonly schemas = new Map<string, Json>();
  readonly failures = new Set<number>();
  /** Titles of schemas that are being written, for those that hold themselves. */
  readonly #unfinished = new Set<string>();

  /** The schema as it stands in the document: a reference where it has a title. */
  reference(node: SchemaNode): Json {
    const { title } = node;
    if (title === undefined) return this.#write(node);
    const $ref = `#/components/schemas/${title}`;
    if (this.#unfinished.has(title)) return { $ref };
    this.#unfinished.add(title);
    const isExtra = node.extra === true;
    const written = this.#write({ ...node, nullable: false, ...(isExtra && { extra: undefined }) });
    this.#unfinished.delete(title);
    const known = this.schemas.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`two different schemas have the title ${title}`);
    this.schemas.set(title, written);
    if (!node.nullable && !isExtra) return { $ref };
    if (!node.nullable) return { allOf: [{ $ref }], 'x-extra': true };
    return present({ ...orNull(node.type, { $ref }), 'x-extra': isExtra || undefined });
  }

  #write(node: SchemaNode): Json {
    return present({
      type: node.type,
      description: node.description,
      nullable: (node.type !== undefined && node.nullable) || undefined,
      enum: node.enum && (node.nullable ? [...node.enum, null] : node.enum),
      format: node.format,
      pattern: node.pattern,
      default: node.default,
      minimum: node.minimum,
      maximum: node.maximum,
      minLength: node.minLength,
      maxLength: node.maxLength,
      minItems: node.minItems,
      maxItems: node.maxItems,
      items: node.items && this.reference(node.items),
      required: node.required && node.required.length > 0 ? node.required : undefined,
      properties:
        node.properties &&
        Object.fromEntries(
          Object.entries(node.properties).map(([name, member]) => [name, this.reference(member)]),
        ),
      additionalProperties:
        typeof node.additionalProperties === 'object'
          ? this.reference(node.additionalProperties)
          : node.additionalProperties,
      anyOf: node.anyOf && [
        ...node.anyOf.map((member) => this.reference(member)),
        ...(node.nullable ? [onlyNull('object')] : []),
      ],
      'x-extra': node.extra,
    });
  }
}

function parametersOf(operation: Operation, components: Components): Json[] {
  const sections = [
    ['path', operation.params],
    ['query', operation.query],
  ] as const;
  return sections.flatMap(([section, schema]) => {
    if (!schema) return [];
    const node = nodeOf(schema);
    return Object.entries(node.properties ?? {}).map(([name, member]) =>
      present({
        name,
        in: section,
        required: section === 'path' || (node.required ?? []).includes(name),
        description: member.description,
        schema: components.reference(member),
        example: operation.paramsExample?.[name],
      }),
    );
  });
}

const ETAG = {
  ETag: 'Changes when the content does; send it back as If-None-Match, and 304 says that it is the same.',
};

function successResponse({ success, hasETag }: Operation, components: Components): Json {
  const extra = Object.entries({ ...(hasETag && ETAG), ...success.headers }).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const isJson = success.schema && !success.stream && !success.media;
  const headers = isJson ? { ...LINK, ...Object.fromEntries(extra) } : Object.fromEntries(extra);
  return present({
    description: success.description ?? 'Success.',
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    content: success.schema && {
      [success.stream ? 'text/event-stream' : (success.media ?? 'application/json')]: present({
        schema: components.reference(nodeOf(success.schema)),
        example: success.example,
      }),
    },
  });
}

const NOT_MODIFIED = {
  description: 'The content is the one whose ETag was sent as If-None-Match. No body.',
  headers: { ETag: { description: 'The same.', schema: { type: 'string' } } },
};

function responsesOf(operation: Operation, components: Components): Json {
  const responses = new Map<number, Json>([
    [operation.success.status, successResponse(operation, components)],
  ]);
  for (const status of faultStatuses(operation)) {
    components.failures.add(status);
    responses.set(status, { $ref: `#/components/responses/${failureOf(status).name}` });
  }
  if (operation.hasETag) responses.set(304, NOT_MODIFIED);
  if (operation.alternative) {
    const { status, schema, description, example } = operation.alternative;
    responses.set(status, {
      description,
      headers: LINK,
      content: { 'application/json': { schema: components.reference(nodeOf(schema)), example } },
    });
  }
  for (const { status, description, schema } of operation.others ?? [])
    responses.set(
      status,
      present({
        description,
        headers: schema && LINK,
        content: schema && { 'application/json': { schema: components.reference(nodeOf(schema)) } },
      }),
    );
  return Object.fromEntries([...responses].sort(([a], [b]) => a - b));
}

const SIGNED_IN = [{ bearerAuth: [] }, { sessionCookie: [] }];

/** The scheme of a header that signs a body: X-PagerDuty-Signature is xPagerDutySignature. */
const schemeName = (header: string) => `x${header.replaceAll('-', '').slice(1)}`;

function securityOf(access: Access): Json[] {
  if (typeof access === 'object' && 'signed' in access) return [{ [schemeName(access.signed)]: [] }];
  return access === 'public' ? [] : SIGNED_IN;
}

/** One for each header that signs bodies. */
function signatureSchemes(operations: readonly Operation[]): Json {
  const headers = operations.flatMap(({ access }) =>
    typeof access === 'object' && 'signed' in access ? [access.signed] : [],
  );
  return Object.fromEntries(
    [...new Set(headers)].map((name) => [
      schemeName(name),
      { type: 'apiKey', in: 'header', name, description: 'A signature over the body as it is sent.' },
    ]),
  );
}

function requestBodyOf(operation: Operation, components: Components): Json | undefined {
  const schema = operation.body ?? operation.rawBody?.schema;
  if (!schema) return undefined;
  const content = present({ schema: components.reference(nodeOf(schema)), example: operation.bodyExample });
  const [, ...others] = operation.rawBody?.media ?? [];
  const more = Object.fromEntries(
    others.map((media) => [media, { schema: { type: 'string', format: 'binary' } }]),
  );
  return { required: operation.bodyOptional !== true, content: { 'application/json': content, ...more } };
}

function operationObject(operation: Operation, components: Components): Json {
  const { notes } = operation;
  return present({
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description ?? `${operation.summary}.`, ...(notes ?? [])].join(' '),
    'x-area': operation.tag,
    'x-access': operation.access,
    'x-extra': operation.extra,
    'x-notes': notes,
    security: securityOf(operation.access),
    parameters: operation.params || operation.query ? parametersOf(operation, components) : undefined,
    requestBody: requestBodyOf(operation, components),
    responses: responsesOf(operation, components),
  });
}

function pathsOf(operations: readonly Operation[], components: Components): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, components),
    };
  }
  return paths;
}

function checkTags({ tags, operations }: ApiDescription): void {
  for (const { id, tag } of operations)
    if (!tags.some(({ name }) => name === tag)) throw new Error(`operation ${id} has the unknown tag ${tag}`);
}

/** The document of an API. Operations are sorted by tag, path and method, so that it never changes by accident. */
export function openapiDocument(api: ApiDescription): Json {
  checkTags(api);
  const order = api.tags.map(({ name }) => name);
  const operations = [...api.operations].sort(
    (a, b) =>
      order.indexOf(a.tag) - order.indexOf(b.tag) ||
      a.path.localeCompare(b.path, 'en') ||
      a.method.localeCompare(b.method, 'en'),
  );
  const components = new Components();
  components.reference(nodeOf(ErrorResponse));
  const paths = pathsOf(operations, components);
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => a.localeCompare(b, 'en');
  const failures = [...components.failures].sort((a, b) => a - b);
  return {
    openapi: '3.0.3',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      contact: api.contact,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: api.base_path || '/', description: 'The server that serves this document.' }],
    security: SIGNED_IN,
    tags: api.tags.filter(({ name }) => operations.some(({ tag }) => tag === name)),
    paths,
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', description: 'A session or API token.' },
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Set by signing in; writes must come from the same site.',
        },
        ...signatureSchemes(operations),
      },
      headers: HEADERS,
      schemas: Object.fromEntries([...components.schemas].sort(byName)),
      responses: Object.fromEntries(
        failures.map((status) => [failureOf(status).name, failureResponse(status)]),
      ),
    },
  };
}
