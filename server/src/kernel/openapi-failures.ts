// The error responses of the OpenAPI document, each with an example, and the headers that go with them.
export type Json = Record<string, unknown>;

export const LINK = { Link: { $ref: '#/components/headers/Link' } };

export interface Failure {
  name: string;
  description: string;
  example: string;
  header?: 'WWW-Authenticate' | 'Allow' | 'Retry-After';
}

const FAILURES: Record<number, Failure> = {
  400: {
    name: 'BadRequest',
    description: 'The request is not valid.',
    example: 'port must be an integer from 1 to 65535.',
  },
  401: {
    name: 'Unauthenticated',
    description: 'No valid token or session.',
    example: 'Sign in first.',
    header: 'WWW-Authenticate',
  },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this.',
    example: 'You have no access to this connection.',
  },
  404: {
    name: 'NotFound',
    description: 'There is no such thing, or the caller cannot see it.',
    example: 'There is no such connection.',
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path does not have this method.',
    example: 'This path answers only to GET, HEAD.',
    header: 'Allow',
  },
  409: {
    name: 'Conflict',
    description: 'The state of the resource does not allow this.',
    example: 'You already have a connection of that name.',
  },
  413: {
    name: 'TooLarge',
    description: 'The request body is over the limit.',
    example: 'The request body must not be larger than 1 MB.',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not application/json.',
    example: 'The Content-Type must be application/json.',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Rate limited; try again after Retry-After seconds.',
    example: 'Too many requests. Try again in 60 seconds.',
    header: 'Retry-After',
  },
  500: {
    name: 'InternalError',
    description: 'Something failed inside the server.',
    example: 'internal error',
  },
  501: {
    name: 'NotCapable',
    description: 'The provider or model has no such capability.',
    example: 'This model cannot do that.',
  },
  502: {
    name: 'BadGateway',
    description: 'The other server refused, failed or cannot be reached.',
    example: 'The server cannot be reached.',
  },
  503: {
    name: 'Unavailable',
    description: 'The datastore cannot be reached, or the request took too long.',
    example: 'The datastore cannot be reached. Try again in a moment.',
  },
  504: {
    name: 'GatewayTimeout',
    description: 'The other server did not answer in time.',
    example: 'The server did not answer within 10 seconds.',
  },
};

export const HEADERS: Json = {
  Link: {
    required: true,
    description: 'Always </api/v1/openapi.json>; rel="service-desc".',
    schema: { type: 'string' },
    example: '</api/v1/openapi.json>; rel="service-desc"',
  },
  RetryAfter: {
    required: true,
    description: 'Whole seconds.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  Allow: {
    required: true,
    description: 'The methods of the path.',
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
  WWWAuthenticate: { required: true, description: 'Bearer.', schema: { type: 'string' }, example: 'Bearer' },
};

export function failureOf(status: number): Failure {
  const failure = FAILURES[status];
  if (!failure) throw new Error(`no description of status ${status}`);
  return failure;
}

export function failureResponse(status: number): Json {
  const { description, example, header } = failureOf(status);
  return {
    description,
    headers: {
      ...LINK,
      ...(header && { [header]: { $ref: `#/components/headers/${header.replace('-', '')}` } }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorResponse' },
        example: { error: example },
      },
    },
  };
}
