"""`{% for group in leaves|by_field %}`: the content under Technical."""

from django import template

from lendingadmin.web.display import technical

register = template.Library()
register.filter("by_field", technical.group_by_field)
