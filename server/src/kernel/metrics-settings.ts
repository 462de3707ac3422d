// Settings of the figures of this product itself, at /metrics.
export const metricsSettings = [
  {
    key: 'metrics.token',
    type: 'secret',
    description:
      'Who asks for /metrics has to send it as a bearer token. Without it anyone who reaches the port may read the figures, which hold counts and times of this product and no names.',
  },
] as const;
