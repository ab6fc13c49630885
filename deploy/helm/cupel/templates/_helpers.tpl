{{/* Names and labels. `.name` is a component: api, scorer, … */}}
{{- define "cupel.fullname" -}}
{{- if contains "cupel" .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-cupel" .Release.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end }}

{{- define "cupel.selector" -}}
app.kubernetes.io/name: cupel
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "cupel.labels" -}}
{{ include "cupel.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "cupel.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := index $image.digests .image -}}
{{- if $image.registry }}{{ $image.registry }}/{{ end -}}
{{ $image.repository }}/{{ .image }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- if $digest }}@{{ $digest }}{{ end -}}
{{- end }}

{{/*
The long-running services: name, key of their values, image (which is also the folder of the service), whether they need the log and the
database, the port they serve, what it reads, whose partitions are the most instances that have work, and the metric of their lag.
*/}}
{{- define "cupel.components" -}}
- { name: api, key: api, image: api, log: true, port: 8080, outside: {{ ne .Values.web.oidcSecret "" }} }
- name: scorer
  key: scorer
  image: scorer
  log: true
  outside: true
  reads: screen
  lag: sum(cupel_scorer_lag_records{lane=~"{{ if .Values.scorerBulk.enabled }}interactive{{ else }}interactive|bulk{{ end }}",%s})
{{- if .Values.scorerBulk.enabled }}
- name: scorer-bulk
  key: scorerBulk
  image: scorer
  log: true
  outside: true
  reads: screen
  lag: sum(cupel_scorer_lag_records{lane="bulk",%s})
{{- end }}
- name: projector
  key: projector
  image: projector
  log: true
  outside: {{ ne .Values.projector.witnessesConfigMap "" }}
  reads: reports
  lag: max(sum by (read_model) (cupel_projection_lag_records{%s}))
- { name: bulk-coordinator, key: bulkCoordinator, image: bulk-coordinator, log: true }
- { name: webhook-dispatcher, key: webhookDispatcher, image: webhook-dispatcher, log: true, outside: true }
{{- if .Values.labelRefresher.enabled }}
- { name: label-refresher, key: labelRefresher, image: label-refresher, log: true, outside: true }
{{- end }}
{{- if .Values.web.enabled }}
- { name: web, key: web, image: web, log: false, port: 8081, outside: {{ ne .Values.web.oidcSecret "" }} }
{{- end }}
{{- end }}

{{/* What the job of a new installation is given; an upgrade changes no number of partitions. */}}
{{- define "cupel.installArguments" -}}
{{- if eq .Values.install.command "auto" | ternary .Release.IsUpgrade (eq .Values.install.command "upgrade") -}}
- upgrade
{{- else -}}
- install
- --screen-partitions
- {{ .Values.partitions.screen | int | toString | quote }}
- --report-partitions
- {{ .Values.partitions.reports | int | toString | quote }}
{{- end -}}
{{- end }}

{{/* The user at the brokers of a service: its own, or the one of all. */}}
{{- define "cupel.kafkaUser" -}}
{{- $sasl := .root.Values.kafka.sasl -}}
{{- $own := index $sasl.users .user | default dict -}}
username: {{ $own.username | default $sasl.username }}
existingSecret: {{ $own.existingSecret | default $sasl.existingSecret }}
{{- end }}

{{- define "cupel.apiUrl" -}}
{{ ternary "https" "http" (ne .Values.tls.existingSecret "") }}://{{ include "cupel.fullname" . }}-api:8080
{{- end }}

{{- define "cupel.scheme" -}}
{{ ternary "HTTPS" "HTTP" (ne .Values.tls.existingSecret "") }}
{{- end }}
