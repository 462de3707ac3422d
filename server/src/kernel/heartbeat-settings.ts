// Settings of the heartbeat: calls to a service outside, which notices when they stop.
export const heartbeatSettings = [
  {
    key: 'heartbeat.url',
    type: 'secret',
    description:
      'URL that the role alerter calls by POST while alerts, findings, upkeep and deliveries succeed. The service behind it notifies when the calls stop.',
  },
  {
    key: 'heartbeat.fail_url',
    type: 'secret',
    description:
      'URL that is called instead while one of them has failed for a minute, such as that of heartbeat.url with /fail. Without it nothing is called then.',
  },
  {
    key: 'heartbeat.interval_seconds',
    type: 'integer',
    default: 60,
    minimum: 5,
    maximum: 3600,
    description: 'Time between two calls of the heartbeat.',
  },
] as const;
