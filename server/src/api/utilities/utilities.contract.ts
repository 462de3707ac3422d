// Health and discovery: what a load balancer and a client generator ask before anything else.
import { operation } from '../../kernel/contract.ts';
import { anyObject, object, oneOf, text } from '../../kernel/schema.ts';

const HealthResponse = object(
  { status: oneOf(['ok']), server: oneOf(['Matriarch']), version: text() },
  { title: 'HealthResponse' },
);

export const getHealth = operation({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  tag: 'utilities',
  summary: 'Server health',
  access: 'public',
  ignoresCaller: true,
  success: {
    status: 200,
    schema: HealthResponse,
    example: { status: 'ok', server: 'Matriarch', version: '0.1.0' },
  },
  notes: ['200 when the process serves and its datastore answers within 2 s; 503 otherwise.'],
});

export const getReadiness = operation({
  id: 'getReadiness',
  method: 'GET',
  path: '/health/ready',
  tag: 'utilities',
  summary: 'Whether everything that this product does works',
  access: 'public',
  ignoresCaller: true,
  extra: true,
  success: {
    status: 200,
    schema: HealthResponse,
    example: { status: 'ok', server: 'Matriarch', version: '0.1.0' },
  },
  notes: [
    '503 when the datastore does not answer within 2 s, or when alerts, findings, upkeep or delivery have failed for a minute in any process; the error says which and since when.',
    'For whoever watches this product. A load balancer asks /health: pages and data are served while a part fails.',
  ],
});

export const getOpenapi = operation({
  id: 'getOpenapi',
  method: 'GET',
  path: '/api/v1/openapi.json',
  tag: 'utilities',
  summary: 'OpenAPI 3.0.3 specification, served at runtime',
  access: 'public',
  ignoresCaller: true,
  usesDatastore: false,
  hasETag: true,
  success: {
    status: 200,
    schema: anyObject(),
    example: { openapi: '3.0.3' },
  },
  notes: [
    'This document, generated from the schemas that validate requests. ETag and Cache-Control: no-cache.',
  ],
});
