// Health and discovery: what a load balancer and a client generator ask before anything else.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const operation = operationsOf({ tag: 'utilities' });

const HealthResponse = s.component('HealthResponse', {
  status: s.oneOf(['ok']),
  server: s.oneOf(['Matriarch']),
  version: s.text(),
});

export const getHealth = operation({
  id: 'getHealth',
  route: 'GET /health',
  summary: 'Server health',
  access: 'public',
  ignoresCaller: true,
  success: ok(HealthResponse, { status: 'ok', server: 'Matriarch', version: '1.0.0' }),
  notes: ['200 when the process serves and its datastore answers within 2 s; 503 otherwise.'],
});

export const getLiveness = operation({
  id: 'getLiveness',
  route: 'GET /health/live',
  summary: 'Whether this process serves',
  access: 'public',
  ignoresCaller: true,
  usesDatastore: false,
  extra: true,
  success: ok(HealthResponse, { status: 'ok', server: 'Matriarch', version: '1.0.0' }),
  notes: [
    'Asks nothing of the datastore: when it is not answered, the process itself is stuck and may be started again.',
    'A process without the role api answers it too, with /health, /health/ready and /metrics, on a port of its own.',
  ],
});

export const getOwnMetrics = operation({
  id: 'getOwnMetrics',
  route: 'GET /metrics',
  summary: 'Figures of this product itself, for Prometheus',
  access: 'public',
  ignoresCaller: true,
  usesDatastore: false,
  extra: true,
  faults: [401],
  success: { ...ok(s.text(), 'matriarch_datastore_up 1\n'), media: 'text/plain' },
  notes: [
    'Prometheus text format 0.0.4, or OpenMetrics 1.0 where Accept names application/openmetrics-text.',
    'With the setting metrics.token it has to be sent as a bearer token; 401 otherwise. Nothing in it names a server, a database or a person.',
    '200 also while the datastore is away: matriarch_datastore_up is 0 then, and what only the datastore knows is left out.',
  ],
});

export const getReadiness = operation({
  id: 'getReadiness',
  route: 'GET /health/ready',
  summary: 'Whether everything that this product does works',
  access: 'public',
  ignoresCaller: true,
  extra: true,
  success: ok(HealthResponse, { status: 'ok', server: 'Matriarch', version: '1.0.0' }),
  notes: [
    '503 when the datastore does not answer within 2 s, or when alerts, findings, upkeep or delivery have failed for a minute in any process; the error says which and since when.',
    'For monitoring of this product. A load balancer asks /health: pages and data are served while a part fails.',
  ],
});

export const getOpenapi = operation({
  id: 'getOpenapi',
  route: 'GET /api/v1/openapi.json',
  summary: 'OpenAPI 3.0.3 specification, served at runtime',
  access: 'public',
  ignoresCaller: true,
  usesDatastore: false,
  hasETag: true,
  success: ok(s.anyObject(), { openapi: '3.0.3' }),
  notes: [
    'This document, generated from the schemas that validate requests. ETag and Cache-Control: no-cache.',
  ],
});
