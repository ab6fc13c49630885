/** The webhook-id header: one per delivery and the same for all its attempts. */
export function webhookIdOf(deliveryId: string): string {
  return `msg_${deliveryId.replaceAll('-', '')}`
}
