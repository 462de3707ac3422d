// Logs that others send: OTLP over HTTP, which OpenTelemetry Collectors, Fluent Bit and operators of Kubernetes speak. The paths, names and
// answers are those of its specification.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const MIB = 1024 * 1024;
/** As it is sent, packed or not. */
const MOST_BYTES = 4 * MIB;
/** Unpacked. */
export const MOST_UNPACKED_BYTES = 16 * MIB;

export const receiveLogs = operation({
  id: 'receiveLogs',
  route: 'POST /v1/logs',
  tag: 'server-info',
  summary: 'Take log records by OTLP/HTTP',
  access: { permission: 'send_logs' },
  rawBody: {
    schema: s.anyObject({ description: 'ExportLogsServiceRequest of OpenTelemetry, in JSON or protobuf.' }),
    limitBytes: MOST_BYTES,
    media: ['application/json', 'application/x-protobuf'],
  },
  bodyLimitBytes: MOST_BYTES,
  bodyExample: {
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'matriarch.connection', value: { stringValue: 'orders-1' } }] },
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: '1795773600000000000',
                body: {
                  stringValue: '2026-11-27 10:00:00.000 UTC [4711] ERROR:  deadlock detected',
                },
              },
            ],
          },
        ],
      },
    ],
  },
  extra: true,
  success: ok(
    s.anyObject({ description: 'ExportLogsServiceResponse; `partialSuccess` says what was rejected.' }),
    {},
  ),
  notes: [
    'Answers in the encoding of the request. Content-Encoding may be gzip; 4 MB as sent, 16 MB unpacked and 20,000 records at most.',
    'A token that is limited to one connection sends for that one. Otherwise the resource attribute matriarch.connection names it by its name or id, or k8s.pod.name, service.instance.id or host.name is its name.',
    'A resource whose bytes are the same as those of one of the last two days is taken for sent again, and counted once.',
    '503 and 429 have a Retry-After; send the same again then.',
  ],
});
