{{/* What the schema of the values cannot say. Every fault is one sentence that names the value. */}}
{{- define "cupel.require" -}}
{{- $v := .Values -}}
{{- if and (not $v.tls.existingSecret) (not $v.trustedProxies) -}}
{{- fail "Set tls.existingSecret, or trustedProxies: the API answers no call without TLS from an address that it does not trust." -}}
{{- end -}}
{{- if and $v.kafka.sasl.mechanism (not $v.kafka.sasl.existingSecret) (not $v.kafka.sasl.users) -}}
{{- fail "Set kafka.sasl.existingSecret, or kafka.sasl.mechanism to an empty text where the brokers ask for no password." -}}
{{- end -}}
{{- if and $v.kafka.sasl.mechanism (not $v.kafka.sasl.existingSecret) -}}
{{- range $user := include "cupel.kafkaUsers" . | fromYamlArray -}}
{{- if not (index $v.kafka.sasl.users $user) -}}
{{- fail (printf "Set kafka.sasl.users.%s, or kafka.sasl.existingSecret for the services without a user of their own." $user) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (not $v.kafka.tls.enabled) (not $v.kafka.insecure) -}}
{{- fail "Set kafka.tls.enabled, or kafka.insecure to accept connections to the brokers without TLS." -}}
{{- end -}}
{{- if lt (int $v.shutdownSeconds) (add $v.drainSeconds 10 | int) -}}
{{- fail "Set shutdownSeconds to drainSeconds and 10 s more, or above: accepted calls are answered after the drain." -}}
{{- end -}}
{{- if not $v.keys.recordsSecret -}}
{{- fail "Set keys.recordsSecret: no service starts without record keys." -}}
{{- end -}}
{{- if ne (empty $v.keys.signingSecret) (and (empty $v.keys.checkpoints) (empty $v.keys.checkpointsClaim)) -}}
{{- fail "Set keys.signingSecret together with keys.checkpoints or keys.checkpointsClaim: signed checkpoints need a place of their own." -}}
{{- end -}}
{{- if and $v.keys.checkpoints $v.keys.checkpointsClaim -}}
{{- fail "Set keys.checkpoints or keys.checkpointsClaim, and not both." -}}
{{- end -}}
{{- if and $v.keys.checkpoints (or (not $v.objectStore.accessKeyId) (not $v.objectStore.existingSecret)) -}}
{{- fail "Set objectStore.accessKeyId and objectStore.existingSecret: keys.checkpoints names a place in that store." -}}
{{- end -}}
{{- if and $v.keys.checkpoints (or (not $v.objectStore.reader.accessKeyId) (not $v.objectStore.reader.existingSecret)) -}}
{{- fail "Set objectStore.reader.accessKeyId and objectStore.reader.existingSecret: operators read the checkpoints and never write them." -}}
{{- end -}}
{{- if and $v.web.enabled (or (not $v.web.url) (not $v.web.secret)) -}}
{{- fail "Set web.url and web.secret, or web.enabled to false." -}}
{{- end -}}
{{- if and $v.scorer.historiesClaim (not $v.scorer.chainDataSecret) -}}
{{- fail "Set scorer.chainDataSecret: it names the providers of scorer.historiesClaim." -}}
{{- end -}}
{{- if and $v.ingress.enabled (not $v.ingress.api.host) -}}
{{- fail "Set ingress.api.host." -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled (not $v.networkPolicy.openEgress) -}}
{{- $called := list "database" "kafka" "registry" -}}
{{- if $v.keys.checkpoints }}{{ $called = append $called "objectStore" }}{{ end -}}
{{- if $v.followers }}{{ $called = append $called "nodes" }}{{ end -}}
{{- if $v.telemetry.endpoint }}{{ $called = append $called "collector" }}{{ end -}}
{{- if $v.ledger.existingSecret }}{{ $called = append $called "clickhouse" }}{{ end -}}
{{- range $called -}}
{{- if not (index $v.networkPolicy .).to -}}
{{- fail (printf "Set networkPolicy.%s.to, or networkPolicy.openEgress: an empty list is every address on that port." .) -}}
{{- end -}}
{{- end -}}
{{- if not $v.networkPolicy.dns -}}
{{- fail "Set networkPolicy.dns, or networkPolicy.openEgress: an empty list is every address on port 53." -}}
{{- end -}}
{{- if not $v.networkPolicy.outside.ports -}}
{{- fail "Set networkPolicy.outside.ports, or networkPolicy.openEgress: an empty list is every port." -}}
{{- end -}}
{{- end -}}
{{- range $c := include "cupel.components" . | fromYamlArray -}}
{{- $values := index $v $c.key -}}
{{- $scaling := $values.autoscaling | default dict -}}
{{- if $scaling.enabled -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling.minReplicas is above maxReplicas." $c.key) -}}
{{- end -}}
{{- if and $c.lag (not $v.monitoring.prometheusUrl) -}}
{{- fail (printf "Set monitoring.prometheusUrl: %s.autoscaling asks Prometheus for the lag." $c.key) -}}
{{- end -}}
{{- end -}}
{{- if $c.reads -}}
{{- $partitions := index $v.partitions $c.reads | int -}}
{{- $most := ternary $scaling.maxReplicas $values.replicas ($scaling.enabled | default false) | int -}}
{{- if gt $most $partitions -}}
{{- fail (printf "%s has %d instances at most, and partitions.%s is %d: the others would have no work." $c.key $most $c.reads $partitions) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "cupel.kafkaUsers" -}}
{{- range include "cupel.components" . | fromYamlArray }}
{{- if .log }}
- {{ .image }}
{{- end }}
{{- end }}
{{- if .Values.followers }}
- ledger-follower
{{- end }}
- operator
{{- end }}
